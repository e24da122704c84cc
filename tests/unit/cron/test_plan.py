from datetime import UTC, datetime, timedelta

import pytest

from kedge.cron import CronError, Schedule, parse, prime

MINUTE = timedelta(minutes=1)
LAST = datetime.max.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("lead", "piece"),
    [
        (timedelta(0), "0:00:00"),
        (-10 * MINUTE, "-1 day, 23:50:00"),
        (timedelta(seconds=59), "59s"),
        (timedelta(seconds=90), "90s"),
        (10 * MINUTE + timedelta(microseconds=1), "0:10:00.000001"),
        (timedelta(days=7, minutes=1), "168h1m"),
    ],
)
def test_a_lead_is_whole_minutes_from_one_minute_to_seven_days(lead: timedelta, piece: str) -> None:
    with pytest.raises(CronError, match="whole minutes, from 1m to 7d") as caught:
        prime(parse("0 0 1 * *"), lead)
    assert (caught.value.field, caught.value.piece) == ("lead", piece)


@pytest.mark.parametrize("lead", [MINUTE, timedelta(days=7)])
def test_the_shortest_and_the_longest_lead_are_good(lead: timedelta) -> None:
    assert prime(parse("0 0 10 * *"), lead).mode == "static"


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("* * * * *", 1),
        ("*/5 * * * *", 5),
        ("0 8 * * *", 1440),
        ("0 8 * * 1-5", 3 * 1440),
        ("0 0 1-30 * *", 2 * 1440),
        ("@every 10m", 10),
    ],
)
def test_a_lead_in_which_it_runs_again_is_refused_and_a_shorter_one_is_not(
    text: str, lead: int
) -> None:
    with pytest.raises(CronError, match="nothing would ever be cold"):
        prime(parse(text), lead * MINUTE)
    if lead > 1:
        assert prime(parse(text), (lead - 1) * MINUTE).lead == (lead - 1) * MINUTE


def test_a_change_of_the_clock_can_be_the_only_gap() -> None:
    """A day has 25 hours once a year in Paris, and never in Tokyo."""
    assert prime(parse("0 8 * * *", zone="Europe/Paris"), 1440 * MINUTE).mode == "rolling"
    with pytest.raises(CronError, match="nothing would ever be cold"):
        prime(parse("0 8 * * *", zone="Asia/Tokyo"), 1440 * MINUTE)


def test_a_plan_ends_with_the_calendar() -> None:
    plan = prime(parse("0 0 1 1 *"), 10 * MINUTE)
    assert plan.next(LAST) is None
    assert plan.next(LAST - timedelta(days=300)) is None
    year = datetime(9998, 12, 31, 23, 50, tzinfo=UTC)
    assert plan.next(LAST - timedelta(days=366)) == year


def test_a_plan_tells_what_it_is() -> None:
    plan = prime(parse("0 8 * * *"), 10 * MINUTE)
    assert repr(plan) == "<Plan 0:10:00 before 0 8 * * *: static ['50 7 * * *']>"


def test_only_schedules_of_ours_can_be_primed() -> None:
    class Stranger(Schedule):
        zone = dst = "UTC"
        next = prev = matches = explain = None  # type: ignore[assignment]

    with pytest.raises(TypeError, match=r"kedge\.cron\.parse"):
        prime(Stranger(), MINUTE)
