"""The how-to pages are true: a reader who does what they say sees what they show."""

import re
from pathlib import Path

import pytest

from tests.integration.docs.howtos import PAGES, filled, steps, text_of, unexplained
from tests.integration.docs.reader import KUBECTLS, reading
from tests.integration.docs.sessions import BEGINNINGS
from tests.unit.test_docs_metrics import rows


@pytest.mark.skipif(not KUBECTLS, reason="no kubectl is installed")
@pytest.mark.parametrize("page", BEGINNINGS)
def test_a_page_shows_what_its_reader_sees(page: str, tmp_path: Path) -> None:
    taken = 0
    with BEGINNINGS[page](tmp_path) as reader:
        for file, text, shown in steps(text_of(page)):
            if file:
                reader.write(file, text)
            else:
                assert reader.output_of(text) == shown, text
                taken += 1
    assert taken >= 5


@pytest.mark.skipif(not KUBECTLS, reason="no kubectl is installed")
def test_every_metric_of_the_reference_is_served(tmp_path: Path) -> None:
    page = PAGES.parent / "reference" / "metrics.md"
    named = {name for name, *_ in rows(page.read_text("utf-8"))}
    with reading(tmp_path) as reader:
        served = set(re.findall(r"^# TYPE (\S+) ", reader.numbers(), re.MULTILINE))
    assert named - served == set()


@pytest.mark.parametrize("page", sorted(path.name for path in PAGES.glob("*.md")))
def test_what_is_not_run_says_why(page: str) -> None:
    assert unexplained(text_of(page)) == []


class TestTheReader:
    """What finds commands would find a wrong one."""

    TEXT = "Write\n\n```yaml a.yaml\nkind: A\n```\n\n```console\n$ kedge x\nold\n$ kedge y\n```\n"

    def test_takes_files_and_commands_in_their_order(self) -> None:
        assert list(steps(self.TEXT)) == [
            ("a.yaml", "kind: A\n", ""),
            ("", "kedge x", "old\n"),
            ("", "kedge y", ""),
        ]

    def test_puts_the_truth_in_the_place_of_what_was_shown(self) -> None:
        files: dict[str, str] = {}
        text = filled(self.TEXT, files.__setitem__, lambda command: f"ran {command}\n")
        assert files == {"a.yaml": "kind: A\n"}
        assert "$ kedge x\nran kedge x\n$ kedge y\nran kedge y\n" in text
        assert "old" not in text

    def test_misses_a_reason(self) -> None:
        told = "Not run by the tests, as it costs money:\n\n```sh\nbuy\n```\n"
        assert unexplained(told) == []
        assert unexplained(f"{told}\nDo it:\n\n```sh\nsell\n```\n") == ["sell"]
