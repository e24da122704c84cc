"""Options of ours on a Schedule."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.api import options
from kedge.api.options import Dst, MissedRuns, ScheduleOptions, options_of

OPTIONS = ["missed-runs", "starting-deadline", "dst", "jitter", "pause-until", "skip-immediately"]


@pytest.mark.parametrize(
    "annotations", [None, {}, {"team": "sea"}, {"velero.io/dst": "x"}, {"a.kedge.dev/dst": "x"}]
)
def test_without_annotations_of_ours_all_is_as_velero_does_it(
    annotations: dict[str, str] | None,
) -> None:
    found = options_of(annotations)
    assert found == ScheduleOptions()
    assert (found.missed_runs, found.dst) == (MissedRuns.ONCE, Dst.WALL)
    assert (found.jitter, found.starting_deadline) == (timedelta(0), None)
    assert (found.pause_until, found.skip_always) == (None, False)
    assert (found.errors, found.warnings) == ((), ())


def test_all_options_are_read() -> None:
    assert options_of(
        {
            options.MISSED_RUNS: "skip",
            options.STARTING_DEADLINE: "10m",
            options.DST: "once",
            options.JITTER: "1h30m",
            options.PAUSE_UNTIL: "2026-01-31T08:00:00+01:00",
            options.SKIP_IMMEDIATELY: "always",
        }
    ) == ScheduleOptions(
        MissedRuns.SKIP,
        timedelta(minutes=10),
        Dst.ONCE,
        timedelta(minutes=90),
        datetime(2026, 1, 31, 7, tzinfo=UTC),
        True,
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("missed-runs", "once"),
        ("dst", "wall"),
        ("jitter", "0"),
        ("jitter", "0s"),
        ("jitter", "23h59m59.999999s"),
        ("starting-deadline", "1ms"),
        ("starting-deadline", "1000h"),
        ("pause-until", "1999-12-31T23:59:59Z"),
        ("pause-until", "2026-01-31T08:00:00.5Z"),
    ],
)
def test_values_at_the_edge_are_taken(name: str, text: str) -> None:
    assert options_of({f"kedge.dev/{name}": text}).errors == ()


@pytest.mark.parametrize(
    ("name", "text", "wrong", "fix"),
    [
        ("missed-runs", "twice", '"twice" is not known', '"once"'),
        ("missed-runs", "Once", '"Once" is not known', '"skip"'),
        ("missed-runs", "", '"" is not known', '"once"'),
        ("starting-deadline", "0s", "leaves no time", "10m"),
        ("starting-deadline", "-1m", "leaves no time", "remove it"),
        ("starting-deadline", "soon", "is not a duration", "15m"),
        ("starting-deadline", "1d", "is not a duration", "1h30m"),
        ("dst", "true", "is not known", '"wall"'),
        ("jitter", "30", "is not a duration", "30s or 30m"),
        ("jitter", "-1s", "is negative", "0s"),
        ("jitter", "24h", "is too long", "below 24h"),
        ("jitter", "1000000h", "is too long", "below 24h"),
        ("jitter", "", "is not a duration", "30s"),
        ("pause-until", "2026-01-31", "is not a time with a zone", "2026-01-31T08:00:00Z"),
        ("pause-until", "2026-01-31T08:00:00", "is not a time with a zone", "+01:00"),
        ("pause-until", "2026-02-30T08:00:00Z", "is not a time with a zone", "Z"),
        ("pause-until", "", "is not a time with a zone", "Z"),
        ("skip-immediately", "true", "is not known", "spec.skipImmediately"),
        ("skip-immediately", "Always", "is not known", '"always"'),
    ],
)
def test_an_error_names_the_annotation_and_what_is_wrong_and_the_fix(
    name: str, text: str, wrong: str, fix: str
) -> None:
    found = options_of({f"kedge.dev/{name}": text})
    [error] = found.errors
    assert error.startswith(f"annotation kedge.dev/{name}: ")
    assert wrong in error
    assert fix in error
    assert found == ScheduleOptions(errors=found.errors), "what is wrong has its default"


def test_all_errors_are_told_at_once_in_the_order_of_names() -> None:
    errors = options_of({f"kedge.dev/{name}": "?" for name in OPTIONS}).errors
    assert [error.split(": ")[0] for error in errors] == [
        f"annotation kedge.dev/{name}" for name in sorted(OPTIONS)
    ]


def test_one_that_is_wrong_does_not_take_the_others_with_it() -> None:
    found = options_of({options.JITTER: "?", options.DST: "once"})
    assert (len(found.errors), found.dst) == (1, Dst.ONCE)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("kedge.dev/missed-run", "did you mean kedge.dev/missed-runs?"),
        ("kedge.dev/Jitter", "did you mean kedge.dev/jitter?"),
        ("KEDGE.dev/dst", "did you mean kedge.dev/dst?"),
        ("kedge.dev/pauseUntil", "did you mean kedge.dev/pause-until?"),
        ("kedge.dev/zzzzzzzzzzzzzzzzzzzzzzzzzzz", "known are kedge.dev/dst, kedge.dev/jitter"),
        ("kedge.dev/due", "it marks the Backups of one"),
    ],
)
def test_an_annotation_that_has_no_effect_gives_a_warning(key: str, hint: str) -> None:
    found = options_of({key: "1m"})
    [warning] = found.warnings
    assert warning.startswith(f"annotation {key} ")
    assert hint in warning
    assert (found.errors, found) == ((), ScheduleOptions())


def test_a_note_of_the_server_gives_no_warning() -> None:
    assert options_of({options.WAS_PAUSED: "true"}).warnings == ()


@pytest.mark.parametrize("name", OPTIONS)
def test_a_huge_value_is_refused_briefly(name: str) -> None:
    [error] = options_of({f"kedge.dev/{name}": "9" * 200_000}).errors
    assert len(error) < 1000


@given(st.dictionaries(st.sampled_from([f"kedge.dev/{name}" for name in OPTIONS]), st.text()))
def test_no_value_makes_it_raise(annotations: dict[str, str]) -> None:
    options_of(annotations)
