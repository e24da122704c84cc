import gzip
import re
import zlib

import pytest

from kedge.engine.journal import KEPT, Journal
from kedge.testing import FakeClock

GZIP = 31


def journal(**facts: str) -> Journal:
    return Journal(FakeClock(), facts)


def lines(of: Journal) -> list[str]:
    return zlib.decompress(of.log(), GZIP).decode().splitlines()


def test_lines_look_like_those_of_velero() -> None:
    one = journal(backup="velero/nightly")
    one.info("Backing up item", resource="pods", name="a b", namespace="")
    line = lines(one)[0]
    assert re.fullmatch(
        r'time="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ" level=info msg="Backing up item" '
        r'backup=velero/nightly name="a b" namespace="" resource=pods',
        line,
    )


def test_a_line_stays_one_line_whatever_it_holds() -> None:
    one = journal()
    one.error('first\nsecond "quoted"', error="\x1b[31m\ud800")
    assert len(lines(one)) == 1
    assert r'msg="first\nsecond \"quoted\""' in lines(one)[0]


def test_levels_are_named_and_counted() -> None:
    one = journal()
    one.info("a")
    one.warning("b")
    one.warning("c")
    one.error("d")
    assert [line.split()[1] for line in lines(one)] == [
        "level=info",
        "level=warning",
        "level=warning",
        "level=error",
    ]
    assert (one.warnings, one.errors) == (2, 1)


def test_entries_have_the_parts_that_the_line_has() -> None:
    one = journal(backup="velero/a")
    one.error("bad", resource="pods", name="x", namespace="ns", error="gone")
    one.error("bad", name="x", namespace="")
    one.error("bad", error="gone")
    assert one.results()["errors"] == {
        "velero": [" message: /bad error: /gone"],
        "cluster": [" name: /x message: /bad"],
        "namespaces": {"ns": [" resource: /pods name: /x message: /bad error: /gone"]},
    }


def test_empty_parts_are_left_out() -> None:
    one = journal()
    assert one.results() == {"errors": {}, "warnings": {}}
    one.warning("w", namespace="b")
    one.warning("v", namespace="a")
    assert one.results()["warnings"] == {
        "namespaces": {"a": [" message: /v"], "b": [" message: /w"]}
    }


def test_plain_results_hold_the_messages_alone() -> None:
    one = Journal(FakeClock(), plain=True)
    one.warning("skipped", resource="pods", name="x", namespace="ns")
    one.error("error restoring x", namespace="", error="conflict")
    assert one.results() == {
        "errors": {"cluster": ["error restoring x: conflict"]},
        "warnings": {"namespaces": {"ns": ["skipped"]}},
    }


def test_results_are_bounded_and_all_are_counted() -> None:
    one = journal()
    for _ in range(KEPT + 7):
        one.error("bad", namespace="ns")
    found = one.results()["errors"]
    assert one.errors == KEPT + 7
    assert len(found["namespaces"]["ns"]) == KEPT
    assert found["velero"] == ["7 more are told in the log only"]


def test_a_log_that_does_not_fit_into_memory_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kedge.engine.journal.SPOOL_BYTES", 4096)
    one = journal()
    texts = [f"{number:x}" * 40 for number in range(10**6, 10**6 + 9000)]
    for text in texts:
        one.info(text)
    assert [line.split("msg=")[1] for line in lines(one)] == texts
    assert one.log() == one.log()


def test_a_journal_that_nobody_reads_can_be_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kedge.engine.journal.SPOOL_BYTES", 0)
    one = journal()
    for number in range(9000):
        one.info(f"{number:x}")
    one.close()


def test_what_comes_after_the_log_was_given_is_in_it_the_next_time() -> None:
    one = Journal(FakeClock())
    one.info("first")
    before = one.log()
    one.error("second")
    assert one.log().startswith(before)
    assert [line.split("msg=")[1] for line in gzip.decompress(one.log()).decode().splitlines()] == [
        "first",
        "second",
    ]
