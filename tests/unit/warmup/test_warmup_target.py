"""Which run a pod is for. 29576520 is the minute of 2026-03-27T06:00:00Z."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.cli.warmup.asked import Asked, Mistake
from kedge.cli.warmup.target import EPOCH, FIRST, scheduled_minute, target_of
from kedge.cron import parse, prime

NOW = datetime(2026, 3, 27, 12, 0, 7, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def name_at(instant: datetime, cronjob: str = "autogen-report") -> str:
    """Name a Job as the CronJob controller does."""
    return f"{cronjob}-{(instant - EPOCH) // MINUTE}"


def run_of(job: str, start: datetime = NOW, /, **options: str) -> datetime:
    given = {f"--{name}": value for name, value in options.items()}
    return target_of(Asked(given, {"KEDGE_JOB_NAME": job}), start).at


def refusal(job: str, **options: str) -> tuple[str, str]:
    with pytest.raises(Mistake) as caught:
        run_of(job, NOW, **options)
    return caught.value.name, str(caught.value)


def test_the_run_is_the_lead_after_the_minute_in_the_name() -> None:
    assert run_of("autogen-report-29576520", lead="10m") == datetime(2026, 3, 27, 6, 10, tzinfo=UTC)


@pytest.mark.parametrize("late", [timedelta(0), MINUTE, timedelta(hours=5), timedelta(days=400)])
def test_how_late_the_pod_is_does_not_matter(late: timedelta) -> None:
    minute = datetime(2026, 3, 27, 12, tzinfo=UTC)
    assert run_of(name_at(minute), minute + late, lead="1h") == datetime(
        2026, 3, 27, 13, tzinfo=UTC
    )


@given(
    st.integers(min_value=(FIRST - EPOCH) // MINUTE, max_value=(NOW - EPOCH) // MINUTE),
    st.integers(min_value=0, max_value=7 * 1440),
    st.from_regex(r"[a-z]([a-z0-9-]{0,40}[a-z0-9])?", fullmatch=True),
)
def test_every_name_of_a_cronjob_gives_its_run(minute: int, lead: int, cronjob: str) -> None:
    run = run_of(f"{cronjob}-{minute}", lead=str(lead))
    assert run == EPOCH + (minute + lead) * MINUTE


@pytest.mark.parametrize(
    ("expression", "minutes"),
    [
        ("0 0 1 * *", 10),
        ("0 0 1 * *", 26 * 60),
        ("*/30 * * * *", 20),
        ("0 14-16 * * *", 90),
        ("5 2 29 2 *", 10_080),
        ("0 8 1 1 1-5", 10),
    ],
)
def test_every_warm_up_of_a_plan_leads_to_its_run(expression: str, minutes: int) -> None:
    schedule = parse(expression, zone="Europe/Amsterdam")
    lead = minutes * MINUTE
    plan = prime(schedule, lead)
    at = NOW
    for _ in range(5):
        warm_up = plan.next(at)
        assert warm_up is not None
        assert run_of(name_at(warm_up), warm_up, lead=str(minutes)) == schedule.next(at + lead)
        at = warm_up


@pytest.mark.parametrize(
    "job",
    [
        "",
        "report",
        "-29576520",
        "29576520",
        "report-",
        "report-1",
        "report-20260327",  # a day to people; as a minute it was in 2008
        "report-1774591200",  # seconds: so did CronJobs long ago
        "report-29576520x",
        "report-29576520-abcde",  # a pod's name
        "report-+29576520",
        "report-2957652_0",
        "report-٢٩٥٧٦٥٢٠",
        "report-²",
        "report-" + "9" * 50,
        "report-29999999",  # a CronJob starts no Job years early
    ],
)
def test_another_name_has_no_minute(job: str) -> None:
    assert scheduled_minute(job, NOW) is None


def test_a_clock_that_is_behind_the_cluster_is_no_reason_to_doubt_a_name() -> None:
    minute = NOW.replace(second=0) + timedelta(hours=3)
    assert scheduled_minute(name_at(minute), NOW) == minute


@pytest.mark.parametrize(
    ("lead", "run"),
    [
        ("10m", "12:15"),
        ("16m", "12:15"),  # 12:14:37 is the earliest
        ("17m", "12:30"),  # and here 12:15:37
        ("0", "12:00"),  # it came 7 seconds after its minute
        (None, "12:15"),
    ],
)
def test_without_a_minute_it_is_the_first_run_that_the_pod_is_early_for(
    lead: str | None, run: str
) -> None:
    options = {"schedule": "*/15 * * * *"} | ({"lead": lead} if lead else {})
    assert f"{run_of('by-hand', NOW, **options):%H:%M}" == run


def test_a_run_at_the_earliest_instant_counts() -> None:
    start = datetime(2026, 3, 27, 11, 51, 30, tzinfo=UTC)
    options = {"schedule": "0 12 * * *", "lead": "10m"}
    assert run_of("by-hand", start, **options) == datetime(2026, 3, 27, 12, tzinfo=UTC)
    later = start + timedelta(microseconds=1)
    assert run_of("by-hand", later, **options) == datetime(2026, 3, 28, 12, tzinfo=UTC)


def test_the_schedule_is_read_in_its_zone() -> None:
    options = {"schedule": "0 8 * * *", "lead": "10m"}
    assert run_of("x", NOW, **options, zone="Europe/Amsterdam").hour == 7
    # After the clocks have changed.
    sunday = datetime(2026, 3, 29, 3, tzinfo=UTC)
    assert run_of("x", sunday, **options, zone="Europe/Amsterdam").hour == 6
    assert run_of("x", schedule="CRON_TZ=Asia/Tokyo 0 8 * * *", zone="UTC").hour == 23


def test_without_a_lead_it_is_the_first_run_from_the_minute_on() -> None:
    minute = datetime(2026, 3, 27, 11, tzinfo=UTC)
    late = datetime(2026, 3, 27, 13, tzinfo=UTC)
    noon = datetime(2026, 3, 27, 12, tzinfo=UTC)
    assert run_of(name_at(minute), late, schedule="0 * * * *") == minute
    assert run_of(name_at(minute + MINUTE), late, schedule="0 * * * *") == noon


def test_an_interval_has_a_run_at_any_second() -> None:
    start = NOW.replace(microsecond=1)
    run = run_of("x", start, schedule="@every 90m", lead="10m")
    assert run == datetime(2026, 3, 27, 12, 8, 38, tzinfo=UTC)


def test_what_can_not_be_known_is_told_with_the_name_of_the_variable_or_the_option() -> None:
    rest = "and there is no --schedule to go by"
    assert refusal("", lead="10m") == ("KEDGE_JOB_NAME", f"it is not set, {rest}")
    problem = f"'x' does not end in the minute of a CronJob, as report-29576520 does, {rest}"
    assert refusal("x", lead="10m") == ("KEDGE_JOB_NAME", problem)
    assert refusal("y" * 5000, lead="10m")[1].startswith(f"'{'y' * 63}...' does not end in")
    named = Asked({"--job-name": "x", "--lead": "1"}, {})
    with pytest.raises(Mistake) as caught:
        target_of(named, NOW)
    assert caught.value.name == "--job-name"


@pytest.mark.parametrize(
    ("options", "name", "start"),
    [
        ({"schedule": "0 25 * * *"}, "--schedule", "hour '25': 25 is outside 0-23"),
        ({"schedule": "@daily", "zone": "Mars"}, "--zone", "zone 'Mars': no such time zone"),
        ({"schedule": "TZ=Mars @daily"}, "--schedule", "zone 'Mars': no such time zone"),
        ({"schedule": "0 0 30 2 *"}, "--schedule", "day of month '30': no such day"),
    ],
)
def test_a_schedule_that_can_not_be_is_told(options: dict[str, str], name: str, start: str) -> None:
    found, problem = refusal("x", **options)
    assert found == name
    assert problem.startswith(start)


def test_a_schedule_that_is_not_needed_is_not_read() -> None:
    assert run_of("a-29576520", lead="10m", schedule="nonsense").minute == 10


def test_the_calendar_ends() -> None:
    last = datetime(9999, 12, 31, 23, 59, 30, tzinfo=UTC)
    with pytest.raises(Mistake, match="never runs again"):
        run_of("x", last, schedule="0 0 1 1 *")
