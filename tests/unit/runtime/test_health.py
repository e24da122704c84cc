from collections.abc import Mapping

import pytest

from kedge.runtime.health import Check, Report, ping, report, report_one


def ill() -> str:
    return "the cache of boats is empty"


BOTH: Mapping[str, Check] = {"ping": ping, "caches": ill}


@pytest.mark.parametrize(
    ("checks", "excluded", "verbose", "answer"),
    [
        pytest.param({}, (), False, Report(True, "ok"), id="no checks"),
        pytest.param(
            {}, (), True, Report(True, "[+]ping ok\nreadyz check passed\n"), id="no checks, verbose"
        ),
        pytest.param({"ping": ping}, (), False, Report(True, "ok"), id="well"),
        pytest.param(
            BOTH,
            (),
            False,
            Report(
                False,
                "[+]ping ok\n[-]caches failed: reason withheld\nreadyz check failed\n",
            ),
            id="ill is always verbose, and tells no reason",
        ),
        pytest.param(BOTH, ("caches",), False, Report(True, "ok"), id="what is ill is excluded"),
        pytest.param(
            BOTH,
            ("caches",),
            True,
            Report(True, "[+]ping ok\n[+]caches excluded: ok\nreadyz check passed\n"),
            id="excluded, verbose",
        ),
        pytest.param(
            {"ping": ping},
            ("b", "a", "b"),
            True,
            Report(
                True,
                "[+]ping ok\nwarn: some health checks cannot be excluded: "
                'no matches for "a","b"\nreadyz check passed\n',
            ),
            id="excluded what there is not",
        ),
        pytest.param({"ping": ping}, ("a",), False, Report(True, "ok"), id="that is no failure"),
    ],
)
def test_reports_in_the_words_of_kubernetes(
    checks: Mapping[str, Check], excluded: tuple[str, ...], verbose: bool, answer: Report
) -> None:
    assert report("readyz", checks, excluded, verbose=verbose) == answer


def test_an_excluded_check_is_not_asked() -> None:
    def never() -> str:
        raise AssertionError

    assert report("readyz", {"never": never}, ["never"]).is_well


def test_one_check_tells_its_reason() -> None:
    assert report_one(BOTH, "ping") == Report(True, "ok")
    told = Report(False, "internal server error: the cache of boats is empty\n")
    assert report_one(BOTH, "caches") == told
    assert report_one(BOTH, "other") is None
    assert report_one({}, "ping") == Report(True, "ok")
