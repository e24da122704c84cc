"""Every command of every page is run by a test, or there is a reason why not."""

from pathlib import Path

import pytest

from tests.e2e.pages.blocks import ROOT, page_at, page_of, pages
from tests.e2e.pages.judging import faults
from tests.e2e.pages.play import Taken, filled
from tests.e2e.pages.reading import Seen
from tests.e2e.pages.sameness import is_same

RIGHT = (
    'Write\n\n```yaml title="a.yaml"\nkind: A\n```\n\n```console\n$ kedge x\nold\n$ kedge y\n```\n'
)


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_is_run_or_there_is_a_reason(path: Path) -> None:
    assert faults(page_at(path)) == []


class TestThePartsOfAPage:
    """Files, commands and marks are found as they are written."""

    def test_files_and_commands_are_taken_in_their_order(self) -> None:
        file, session = page_of(RIGHT).blocks
        assert (file.title, file.body, file.is_shell) == ("a.yaml", "kind: A\n", False)
        assert session.commands() == [("kedge x", "old\n"), ("kedge y", "")]

    def test_a_command_may_go_on_in_the_next_line(self) -> None:
        (block,) = page_of("```console\n$ kedge x \\\n    --y\nshown\n```\n").blocks
        assert block.commands() == [("kedge x \\\n    --y", "shown\n")]

    def test_a_block_in_a_list_is_read_without_its_indentation(self) -> None:
        (block,) = page_of("- so:\n\n    ```console\n    $ kedge x\n      y\n    ```\n").blocks
        assert block.commands() == [("kedge x", "  y\n")]

    def test_marks_belong_to_the_block_behind_them_and_to_no_other(self) -> None:
        text = "<!-- session: nothing -->\n# A\n\n<!-- fails -->\n<!-- session: real -->\n"
        text += "\n```sh\na\n```\n\n<!-- fails -->\nB\n\n```sh\nb\n```\n"
        page = page_of(text)
        assert [block.marks for block in page.blocks] == [{"fails": "", "session": "real"}, {}]
        assert page.sessions() == ["real", "nothing"]

    def test_marks_that_stand_alone_are_steps(self) -> None:
        page = page_of("# A\n\n<!-- wait: test -f a -->\n\n```sh\nb\n```\n<!-- stop -->\n")
        assert [block.language for block in page.blocks] == ["wait", "sh", "stop"]
        assert page.blocks[0].body == "test -f a"


class TestWhatIsShownAndSeen:
    """Only what is another each time may be another."""

    @pytest.mark.parametrize(
        ("shown", "seen"),
        [
            pytest.param("a\n...\nz\n", "a\nb\nc\nz\n", id="any lines"),
            pytest.param("a\n...\n", "a\n", id="no line"),
            pytest.param("at 2030-01-01T00:00:00Z\n", "at 2031-12-31T23:59:59Z\n", id="times"),
            pytest.param("A   AGE\nb   5s\n", "A      AGE\nb      2m30s\n", id="ages"),
            pytest.param("x  5s ago\n", "x   1h 5m ago\n", id="long ago"),
            pytest.param("x  5s ago\n", "x  now\n", id="just now"),
            pytest.param("https://127.0.0.1:6443\n", "https://127.0.0.1:33333\n", id="ports"),
        ],
    )
    def test_is_the_same(self, shown: str, seen: str) -> None:
        assert is_same(shown, seen)

    @pytest.mark.parametrize(
        ("shown", "seen"),
        [
            ("", "a\n"),
            ("a\n", ""),
            ("a\n", "a\nb\n"),
            ("a\n...\nz\n", "a\nz\ny\n"),
            ("a b\n", "a  b\n"),
            ("  a\n", "a\n"),
            ("3 items\n", "4 items\n"),
        ],
    )
    def test_is_not_the_same(self, shown: str, seen: str) -> None:
        assert not is_same(shown, seen)

    def test_nothing_is_left_open_where_no_clock_runs(self) -> None:
        shown = "at 2030-01-01T00:00:00Z\n...\n"
        assert is_same(shown, "at 2030-01-01T00:00:00Z\nmore\n", exact=True)
        assert not is_same(shown, "at 2031-01-01T00:00:00Z\nmore\n", exact=True)
        assert not is_same("a  b\n", "a   b\n", exact=True)

    def test_the_truth_is_put_in_the_place_of_what_was_shown(self) -> None:
        page = page_of(RIGHT)
        block = page.blocks[1]
        taken = [Taken(block, c, shown, Seen(0, f"ran {c}\n")) for c, shown in block.commands()]
        text = filled(page, taken)
        assert "$ kedge x\nran kedge x\n$ kedge y\nran kedge y\n" in text
        assert "old" not in text
        assert text.startswith('Write\n\n```yaml title="a.yaml"\nkind: A\n```\n')

    def test_a_failure_is_trouble_unless_it_is_meant(self) -> None:
        (meant,) = page_of("# A\n\n<!-- fails -->\n```console\n$ a\n```\n").blocks
        (other,) = page_of("```console\n$ a\n```\n").blocks
        assert Taken(meant, "a", "", Seen(1, "")).trouble == ""
        assert "exits with 1" in Taken(other, "a", "", Seen(1, "")).trouble


class TestTheDetector:
    """It would find what is wrong."""

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("Do:\n\n    kedge backup get\n", "not in a fenced block"),
            ("```text\n$ kedge backup get\n```\n", "not ```console"),
            ("```sh\n$ kedge backup get\n```\n", "a prompt in a script"),
            ("```console\nkedge backup get\n```\n", "without a command"),
            ("# A\n\n<!-- not run: I am tired -->\n```sh\na\n```\n", "without a reason"),
            ("Not run by the tests, so:\n\n```sh\na\n```\n", "without a reason"),
            ("<!-- session: moon -->\n\n```sh\na\n```\n", "no such session: moon"),
            ("# A\n\n<!-- session: up, moon -->\n```sh\na\n```\n", "no such session: moon"),
            ("# A\n\n<!-- skip -->\n```sh\na\n```\n", "a mark that is not known: skip"),
        ],
    )
    def test_finds(self, text: str, fault: str) -> None:
        (found,) = faults(page_of(text))
        assert fault in found

    @pytest.mark.parametrize(
        "text",
        [
            RIGHT,
            "Not run by the tests, as it needs an account:\n\n```sh\naws s3 ls\n```\n",
            "# A\n\n<!-- not run: it takes minutes -->\n```sh\nmake bench\n```\n",
            "Folders:\n\n    src/  what is installed\n",
        ],
    )
    def test_lets_pass(self, text: str) -> None:
        assert faults(page_of(text)) == []
