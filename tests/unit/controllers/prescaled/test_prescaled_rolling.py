"""A rolling plan: moved on, slept through, changed, suspended."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kedge.api.prescaled.kind import PreScaledCronJob
from kedge.controllers.prescaled.plan import Rolling
from kedge.controllers.prescaled.rolling import GRACE, State, roll
from tests.unit.controllers.prescaled.world import World, made, planned

DAY = timedelta(days=1)
ROLLING = {"timeZone": "Europe/Amsterdam"}
"""Five past two: a change of the clocks comes between."""


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def monthly(**more: Any) -> World:
    return World(made("0 0 1 * *", 10, **more), at("2026-01-01"))


def edited(world: World, obj: PreScaledCronJob) -> None:
    """Change the object, and have the controller see it."""
    world.obj = msgspec.structs.replace(obj, status=world.obj.status)
    world.plan = planned(world.obj)
    world.reconcile()


def child(world: World) -> Any:
    [found] = world.children.values()
    return found["spec"]


def test_it_points_to_the_next_start_alone_in_utc() -> None:
    world = World(made("5 2 * * *", 10, **ROLLING), at("2026-01-01"))
    world.reconcile()
    assert child(world)["schedule"] == "55 0 1 1 *"
    assert child(world)["timeZone"] == "UTC"
    world.run(at("2026-06-30T12:00"))
    assert child(world)["schedule"] == "55 23 30 6 *"
    world.run(at("2026-07-01T00:00"))
    assert child(world)["schedule"] == "55 23 1 7 *"


def test_it_waits_a_moment_for_the_cron_job_controller() -> None:
    plan = planned(made("0 0 1 * *"))
    assert isinstance(plan, Rolling)
    due = at("2026-01-31T23:50")
    state = State(at("2026-01-01"))
    early = roll(plan, state, due + GRACE / 2)
    assert (early.starts, early.wake) == ((), due + GRACE)
    assert early.pointing is not None
    assert early.pointing.to.warm_up == due
    late = roll(plan, state, due + GRACE)
    assert [each.warm_up for each in late.starts] == [due]
    done = roll(plan, State(at("2026-01-01"), last_start=due), due + GRACE / 2)
    assert done.starts == ()
    assert done.pointing is not None
    assert done.pointing.to.warm_up == at("2026-02-28T23:50")


def test_without_a_cron_job_controller_it_starts_the_jobs_itself() -> None:
    world = monthly()
    world.has_cron = False
    world.run(at("2026-06-15"))
    assert world.starts == [
        at("2026-01-31T23:50"),
        at("2026-02-28T23:50"),
        at("2026-03-31T23:50"),
        at("2026-04-30T23:50"),
        at("2026-05-31T23:50"),
    ]
    assert set(world.jobs.values()) == {start + GRACE for start in world.starts}


def test_a_start_that_was_slept_through_takes_place_while_its_run_is_ahead() -> None:
    world = monthly()
    world.run(at("2026-02-10"))
    world.is_awake = False
    world.run(at("2026-03-31T23:55"))  # the CronJob controller does the one of February
    assert len(world.starts) == 2
    world.is_awake = True
    world.run(at("2026-03-31T23:56"))
    assert world.starts[-1] == at("2026-03-31T23:50")
    assert list(world.jobs)[-1] == f"autogen-job-{int(world.starts[-1].timestamp()) // 60}"
    assert child(world)["schedule"] == "50 23 30 4 *"
    assert world.missed == 0


def test_a_start_whose_run_is_past_is_missed_and_told() -> None:
    world = monthly()
    world.reconcile()
    world.is_awake = False
    world.run(at("2026-04-15"))
    world.is_awake = True
    world.run(at("2026-04-15T00:01"))
    assert world.starts == [at("2026-01-31T23:50")]
    assert world.missed == 2
    assert child(world)["schedule"] == "50 23 30 4 *"


def test_all_that_are_still_ahead_are_started_where_the_lead_is_long() -> None:
    world = World(made("0 */6 1-6 * *", 4320), at("2026-01-10"))
    world.reconcile()
    world.is_awake = False
    world.run(at("2026-01-30T12:30"))
    world.is_awake = True
    world.run(at("2026-01-30T12:31"))
    expected = [at("2026-01-29") + hours * timedelta(hours=6) for hours in range(7)]
    assert world.starts == expected


def test_what_is_more_than_a_year_ahead_does_not_start_a_year_early() -> None:
    world = World(made("0 0 29 2 *", 10), at("2025-03-01"))
    world.reconcile()
    assert child(world)["suspend"] is True
    world.run(at("2028-02-28T00:00"))
    assert world.starts == []
    assert not child(world).get("suspend")
    assert child(world)["schedule"] == "50 23 28 2 *"
    world.run(at("2033-01-01"))
    assert world.starts == [at("2028-02-28T23:50"), at("2032-02-28T23:50")]


def test_a_longer_lead_starts_at_once_what_would_have_started_by_now() -> None:
    world = monthly()
    world.run(at("2026-01-31T23:30"))
    edited(world, made("0 0 1 * *", 60))
    assert world.starts == [at("2026-01-31T23:00")]
    world.run(at("2026-02-27"))
    assert len(world.starts) == 1


def test_a_shorter_lead_does_not_start_again_what_is_warming_up() -> None:
    world = World(made("0 0 1 * *", 60), at("2026-01-01"))
    world.run(at("2026-01-31T23:30"))
    edited(world, made("0 0 1 * *", 10))
    world.run(at("2026-02-27"))
    assert world.starts == [at("2026-01-31T23:00")]
    assert child(world)["schedule"] == "50 23 28 2 *"


def test_another_schedule_counts_from_now_on() -> None:
    world = World(made("0 0 1 * *", 10080), at("2026-01-10"))
    world.run(at("2026-01-26"))
    assert world.starts == [at("2026-01-25")]
    edited(world, made("30 12 28,29 * *", 10080))
    assert world.starts[1:] == [at("2026-01-21T12:30"), at("2026-01-22T12:30")]


def test_nothing_starts_while_it_is_suspended_and_what_is_ahead_starts_afterwards() -> None:
    world = monthly()
    world.run(at("2026-02-10"))
    edited(world, made("0 0 1 * *", 10, suspend=True))
    assert child(world)["suspend"] is True
    writes = world.writes
    world.run(at("2026-05-31T23:55"))
    world.reconcile()
    assert world.writes == writes, "it rests"
    assert world.starts == [at("2026-01-31T23:50")]
    edited(world, made("0 0 1 * *", 10))
    assert not child(world).get("suspend")
    world.run(at("2026-05-31T23:56"))
    assert world.starts == [at("2026-01-31T23:50"), at("2026-05-31T23:50")]
    assert world.missed == 0


def test_static_becomes_rolling_and_static_again() -> None:
    world = World(made("0-15 0 * * *", 10), at("2026-01-01T12:00"))
    world.run(at("2026-01-02T12:00"))
    assert len(world.children) == 2
    assert len(world.starts) == 16
    edited(world, made("0-15 0 * * *", 10, concurrencyPolicy="Forbid"))
    assert len(world.children) == 1
    world.run(at("2026-01-03T12:00"))
    assert len(world.starts) == 32
    edited(world, made("0-15 0 * * *", 10))
    world.run(at("2026-01-04T12:00"))
    assert len(world.starts) == len(set(world.starts)) == 48


@pytest.mark.parametrize("back", [timedelta(minutes=5), timedelta(hours=3), 40 * DAY])
def test_a_clock_that_is_put_back_starts_nothing_twice(back: timedelta) -> None:
    world = monthly()
    world.run(at("2026-01-31T23:55"))
    assert len(world.starts) == 1
    world.now -= back
    world.reconcile()
    world.run(at("2026-03-15"))
    assert world.starts == [at("2026-01-31T23:50"), at("2026-02-28T23:50")]


def test_a_clock_that_jumps_ahead_starts_what_is_not_over() -> None:
    world = monthly()
    world.has_cron = False
    world.run(at("2026-01-20"))
    world.now = at("2026-02-28T23:57")
    world.run(at("2026-03-10"))
    assert world.starts == [at("2026-02-28T23:50")]
    assert world.missed == 1


def test_a_user_deadline_that_is_shorter_stays() -> None:
    world = monthly(startingDeadlineSeconds=30)
    world.reconcile()
    assert child(world)["startingDeadlineSeconds"] == 30
    world = monthly(startingDeadlineSeconds=86400)
    world.reconcile()
    assert child(world)["startingDeadlineSeconds"] == 600
