"""The reader of pages does what a person at a terminal does, and keeps what a shell keeps."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.pages.blocks import page_of
from tests.e2e.pages.play import play
from tests.e2e.pages.reading import Person, Seen, person
from tests.e2e.terminal import left_on


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Person]:
    """Somebody in an empty folder."""
    with person(tmp_path) as somebody:
        yield somebody


def test_variables_and_the_folder_are_kept(reader: Person) -> None:
    assert reader.script("export COLOUR='dark\nred'\nmkdir -p in/side\ncd in/side\n").code == 0
    assert reader.run('echo "$COLOUR in $(basename "$PWD")"') == Seen(0, "dark\nred in side\n")
    reader.write("here.txt", "x\n")
    assert reader.run("cat here.txt") == Seen(0, "x\n")


def test_a_script_ends_with_its_first_failure(reader: Person) -> None:
    assert reader.script("echo a\nfalse\necho b\n") == Seen(1, "a\n")


def test_what_a_page_names_is_something_else_here(reader: Person) -> None:
    reader.stands_for["http://shown/"] = "http://real:1/"
    reader.write("a", "http://shown/x\n")
    assert (reader.folder / "a").read_text() == "http://real:1/x\n"
    assert reader.run("echo http://shown/y in $PWD") == Seen(0, "http://shown/y in .\n")


def test_our_own_command_is_run_with_the_variables_of_the_page(reader: Person) -> None:
    reader.script("export KUBECONFIG=$PWD/none")
    seen = reader.run("kedge backup get")
    assert seen.code == 1
    assert "none" in seen.text
    assert reader.run("kedge cron check '0 8 * * *' | wc -l").code == 0


def test_a_prompt_is_answered_in_a_terminal(reader: Person) -> None:
    seen = reader.run("test -t 0 && read -p 'Sure? ' answer && echo got $answer", keys="y")
    assert seen == Seen(0, "Sure? y\ngot y\n")


def test_a_bar_that_is_drawn_over_is_not_left_on_the_screen() -> None:
    assert left_on("\r\x1b[Kone …\r\x1b[Ktwo …\r\x1b[K\x1b[1mdone\x1b[0m\nend\r\n") == "done\nend\n"


def test_marks_that_stand_alone_are_heeded(tmp_path: Path) -> None:
    text = "# A\n\n<!-- do: (until test -f go; do sleep 0.05; done; touch gone) & -->\n\n"
    text += "```sh\ntouch go\n```\n"
    text += "<!-- wait: test -f gone -->\n\n```console\n$ ls\ngo\ngone\n```\n"
    taken = list(play(page_of(f"<!-- session: nothing -->\n{text}"), "nothing", tmp_path))
    assert [one.trouble for one in taken] == ["", "", "", ""]
