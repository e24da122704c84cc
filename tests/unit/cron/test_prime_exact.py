"""Plans against the oracle: exactly the right minutes, rolling only where nothing else can be."""

from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kedge.cron import CronError, Plan, parse, prime
from tests.cron_oracle.plans import ever_cold, fires_exactly, static_plan_exists
from tests.cron_oracle.reading import read
from tests.cron_oracle.settings import examples
from tests.cron_oracle.strategies import (
    POLICIES,
    changing_zones,
    expressions,
    instants,
    leads,
    tidy_expressions,
    zones,
)
from tests.cron_oracle.zones import FIRST

MINUTE = timedelta(minutes=1)
DECADE = datetime(2023, 1, 1, tzinfo=UTC), datetime(2033, 1, 1, tzinfo=UTC)
texts = st.one_of(tidy_expressions, tidy_expressions, expressions)
short_leads = st.one_of(st.integers(1, 130), leads)


def plan_of(text: str, zone: str, dst: str, lead: int) -> Plan | None:
    """Prime a schedule; None if it is refused."""
    try:
        return prime(parse(text, zone=zone, dst=dst), lead * MINUTE)
    except CronError:
        return None


def judge(text: str, zone: str, dst: str, lead: int) -> str:
    """Compare a plan with the oracle; say what is wrong."""
    reading, plan = read(text, zone), plan_of(text, zone, dst, lead)
    cold = ever_cold(reading, lead, dst)
    if plan is None:
        return "refused, but there is a gap" if cold else ""
    if not cold:
        return f"{plan.mode}, but nothing is ever cold"
    mode = "static" if static_plan_exists(reading, lead, dst) else "rolling"
    if plan.mode != mode:
        return f"{plan.mode} {plan.expressions}, should be {mode}"
    if bool(plan.expressions) != (mode == "static") or plan.zone != zone:
        return f"{plan.mode} {plan.zone} {plan.expressions}"
    return fires_exactly(plan.expressions, reading, lead, dst) if mode == "static" else ""


@examples(30)
@given(text=texts, lead=leads)
def test_plans_in_utc_are_exact_and_static_wherever_one_exists(text: str, lead: int) -> None:
    assert judge(text, "UTC", "wall", lead) == ""


@pytest.mark.slow
@examples(30)
@given(text=texts, zone=changing_zones, dst=POLICIES, lead=short_leads)
def test_plans_in_zones_are_exact_and_static_wherever_one_exists(
    text: str, zone: str, dst: str, lead: int
) -> None:
    assert judge(text, zone, dst, lead) == ""


@pytest.mark.parametrize(
    ("text", "zone", "lead"),
    [
        ("*/3 */5 1,2,5,6,8-16,18-22,26-28,30,31 * *", "Europe/Amsterdam", 3195),
        ("0 */2 1-5,7-13,16,17,19-22,24,28-31 * *", "Australia/Lord_Howe", 3322),
    ],
)
def test_days_that_each_change_of_the_clock_cuts_anew_are_planned_at_once(
    text: str, zone: str, lead: int
) -> None:
    """Each change halves what the ones before have left; there is no room for 2**28 halves."""
    assert judge(text, zone, "wall", lead) == ""


@examples(20)
@given(text=tidy_expressions, zone=zones, lead=leads)
def test_static_plans_fire_on_all_warm_ups_of_a_decade(text: str, zone: str, lead: int) -> None:
    """What a static plan promises, in the words of the engine itself."""
    plan = plan_of(text, zone, "wall", lead)
    assume(plan is not None and plan.mode == "static")
    assert plan is not None
    start, end = DECADE
    if len(read(text).minute.values) * len(read(text).hour.values) > 20:
        start = datetime(2031, 6, 1, tzinfo=UTC)
    fired = [run for e in plan.expressions for run in parse(e, zone=zone).between(start, end)]
    ahead = lead * MINUTE
    runs = parse(text, zone=zone).between(start + ahead, end + ahead)
    assert sorted(fired) == [run - ahead for run in runs]


@examples(30)
@given(text=texts, dst=POLICIES, lead=short_leads, data=st.data())
def test_next_of_a_plan_is_a_run_less_the_lead(
    text: str, dst: str, lead: int, data: st.DataObject
) -> None:
    zone = data.draw(zones)
    after = data.draw(instants(zone))
    plan = plan_of(text, zone, dst, lead)
    assume(plan is not None)
    assert plan is not None
    schedule, ahead = parse(text, zone=zone, dst=dst), lead * MINUTE
    moment = after
    for _ in range(5):
        run = schedule.next(moment + ahead)
        assert run is not None
        assert plan.next(moment) == run - ahead
        moment = run - ahead


@examples(20)
@given(period=st.integers(1, 200_000), lead=leads, after=instants("UTC"))
def test_every_is_rolling_when_its_period_is_longer_than_the_lead(
    period: int, lead: int, after: datetime
) -> None:
    plan = plan_of(f"@every {period}s", "UTC", "wall", lead)
    if period <= 60 * lead:
        assert plan is None
    else:
        assert plan is not None
        assert (plan.mode, plan.expressions) == ("rolling", ())
        assert plan.next(after) == after.replace(microsecond=0) + timedelta(seconds=period)


def test_static_and_rolling_plans_tell_the_next_warm_ups_alike() -> None:
    for text in ("0 0 * * *", "0 0 1 * *"):
        plan, schedule = prime(parse(text), 10 * MINUTE), parse(text)
        chain, moment = [], FIRST
        for _ in range(30):
            answer = plan.next(moment)
            assert answer is not None
            chain.append(answer)
            moment = answer
        runs = schedule.between(FIRST + 10 * MINUTE, datetime(2050, 1, 1, tzinfo=UTC))
        assert chain == [run - 10 * MINUTE for run in islice(runs, 30)]
