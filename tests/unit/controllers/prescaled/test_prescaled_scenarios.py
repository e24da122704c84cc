"""Ten years of each case: the CronJobs start at the lead before each run, and at no other time."""

from datetime import UTC, datetime, timedelta
from heapq import merge

import pytest

from kedge.controllers.prescaled.plan import Refused, Rolling, Static, plan_of
from kedge.controllers.prescaled.rolling import State, roll
from kedge.cron import parse
from tests.unit.controllers.prescaled.scenarios import (
    ALL_YEARS,
    MORE,
    NEVER_COLD,
    SCENARIOS,
    Scenario,
)
from tests.unit.controllers.prescaled.truth import truth
from tests.unit.controllers.prescaled.world import World, children, firings, made, planned, same

START = datetime(2026, 1, 1, tzinfo=UTC)
ALL = SCENARIOS | MORE


def years(number: int) -> datetime:
    return START.replace(year=START.year + number)


def test_there_are_eighteen_of_them() -> None:
    assert len(SCENARIOS) == 18


@pytest.mark.parametrize("name", ALL)
def test_the_plan_is_that_of_the_table(name: str) -> None:
    scenario = ALL[name]
    plan = planned(made(scenario.schedule, scenario.lead, **scenario.more))
    if not scenario.expressions:
        assert isinstance(plan, Rolling)
        return
    assert isinstance(plan, Static)
    assert {parse(text) for text in plan.expressions} == {
        parse(text) for text in scenario.expressions
    }
    assert plan.zone == scenario.zone


@pytest.mark.parametrize("most", [2, pytest.param(ALL_YEARS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ALL)
def test_no_start_is_missing_and_none_is_spurious(name: str, most: int) -> None:
    scenario = ALL[name]
    obj = made(scenario.schedule, scenario.lead, **scenario.more)
    plan, end = planned(obj), years(scenario.years(most))
    if isinstance(plan, Static):
        made_of = children(obj, START)
        found = merge(*(firings(child, START, end) for child in made_of))
        assert same(found, truth(obj, START, end)) == ""
        return
    world = World(obj, START)
    world.run(end)
    assert same(world.starts, truth(obj, START, end)) == ""
    assert world.missed == 0


@pytest.mark.slow
def test_every_90_minutes_for_ten_years() -> None:
    plan = planned(made("@every 90m"))
    assert isinstance(plan, Rolling)
    state, now, starts = State(START + plan.lead), START, []
    while now < years(10):
        rolled = roll(plan, state, now)
        assert rolled.pointing is not None
        assert not rolled.starts
        now = rolled.pointing.to.warm_up
        starts.append(now)
        state = State(rolled.pointing.served, last_start=now)
        now += timedelta(seconds=1)
    expected = [START + number * timedelta(minutes=90) for number in range(1, len(starts) + 1)]
    assert [start + plan.lead for start in starts] == expected
    assert len(starts) > 58_000


@pytest.mark.parametrize("scenario", NEVER_COLD.values(), ids=NEVER_COLD)
def test_what_would_never_be_cold_is_refused_in_words(scenario: Scenario) -> None:
    plan = plan_of(made(scenario.schedule, scenario.lead))
    assert isinstance(plan, Refused)
    assert plan.code == "InvalidSchedule"
    assert str(plan).startswith("spec.warmUpTimeMins: ")
    assert "nothing would ever be cold" in str(plan)
