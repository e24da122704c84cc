"""Rolling and static ones as time passes: moved on, slept through, told in the status."""

from datetime import timedelta

import pytest

from kedge.kube.times import format_time, parse_time
from tests.integration.controllers.slipway import JOBS, Slipway, slipway

pytestmark = pytest.mark.asyncio

FIRST = "2030-01-31T23:50:00Z"
SECOND = "2030-02-28T23:50:00Z"


def named(child: str, start: str) -> str:
    return f"{child}-{int(parse_time(start).timestamp()) // 60}"


async def schedule_of(port: Slipway, name: str) -> str:
    text: str = (await port.child(name))["spec"]["schedule"]
    return text


async def test_it_is_moved_on_when_the_cron_job_controller_has_started_it() -> None:
    async with slipway() as port, port.running():
        await port.make("monthly", "0 0 1 * *")
        await port.reach(FIRST)
        assert await schedule_of(port, "autogen-monthly") == "50 23 31 1 *"
        assert (await port.status("monthly"))["nextWarmUpTime"] == SECOND
        await port.fired("autogen-monthly", parse_time(FIRST))
        await port.quiet()
        assert await schedule_of(port, "autogen-monthly") == "50 23 28 2 *"
        status = await port.status("monthly")
        assert status["primerSchedules"] == ["50 23 28 2 *"]
        assert status["lastWarmUpTime"] == FIRST
        assert "lastRunTime" not in status
        await port.pass_time(minutes=10)
        status = await port.status("monthly")
        assert status["lastRunTime"] == "2030-02-01T00:00:00Z"
        assert status["nextRunTime"] == "2030-03-01T00:00:00Z"
        assert await port.jobs() == [], "that was the business of the CronJob controller"


async def test_what_the_cron_job_controller_does_not_start_is_started_under_its_name() -> None:
    async with slipway() as port, port.running():
        await port.make("monthly", "0 0 1 * *")
        await port.reach(FIRST)
        assert await port.jobs() == []
        await port.pass_time(seconds=10)
        assert await port.jobs() == [named("autogen-monthly", FIRST)]
        job = await port.kube.client.get(f"{JOBS}/{named('autogen-monthly', FIRST)}")
        child = await port.child("autogen-monthly")
        [owner] = job["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == (
            "CronJob",
            child["metadata"]["uid"],
            True,
        )
        stamp = "batch.kubernetes.io/cronjob-scheduled-timestamp"
        assert job["metadata"]["annotations"][stamp] == FIRST
        assert job["spec"]["template"]["metadata"]["labels"]["primedcron"] == "monthly"
        assert job["spec"]["template"]["spec"]["initContainers"][0]["name"] == "kedge-warm-up"
        assert child["spec"]["schedule"] == "50 23 28 2 *"
        assert port.events.reasons == ["StartedLate"]
        assert (await port.status("monthly"))["lastWarmUpTime"] == FIRST


async def test_a_job_that_is_there_is_not_started_again() -> None:
    async with slipway() as port, port.running():
        await port.make("monthly", "0 0 1 * *")
        await port.quiet()
        child = await port.child("autogen-monthly")
        name = named("autogen-monthly", FIRST)
        job = {"metadata": {"name": name}, "spec": child["spec"]["jobTemplate"]["spec"]}
        await port.kube.client.create(JOBS, job)
        await port.reach(FIRST)
        await port.pass_time(seconds=10)
        assert await port.jobs() == [name]
        assert port.events.reasons == []
        assert await schedule_of(port, "autogen-monthly") == "50 23 28 2 *"


async def test_one_that_was_slept_through_starts_at_once_if_its_run_is_ahead() -> None:
    async with slipway() as port:
        async with port.running():
            await port.make("monthly", "0 0 1 * *")
            await port.make("daily", "0 0 * * *")
        port.clock.advance(parse_time("2030-02-28T23:55:00Z") - port.clock.now())
        await port.fired("autogen-monthly", parse_time(FIRST))
        async with port.running():
            await port.quiet()
            assert await port.jobs() == [named("autogen-monthly", SECOND)]
            assert await schedule_of(port, "autogen-monthly") == "50 23 31 3 *"
            assert port.events.reasons == ["StartedLate"]
            status = await port.status("monthly")
            assert status["lastWarmUpTime"] == SECOND
            await port.pass_time(minutes=5)
            status = await port.status("monthly")
            assert status["lastRunTime"] == "2030-03-01T00:00:00Z"


async def test_one_that_was_made_while_nobody_looked_starts_if_its_run_is_ahead() -> None:
    async with slipway() as port:
        await port.make("late", "5 2 * * *", timeZone="Europe/Amsterdam")
        port.clock.advance(timedelta(minutes=60))  # the start was at 00:55 UTC
        async with port.running():
            await port.quiet()
            assert await port.jobs() == [named("autogen-late", "2030-01-01T00:55:00Z")]


async def test_one_whose_run_is_past_is_missed_and_told() -> None:
    async with slipway() as port:
        async with port.running():
            await port.make("monthly", "0 0 1 * *")
        port.clock.advance(parse_time("2030-03-15T00:00:00Z") - port.clock.now())
        async with port.running():
            await port.quiet()
            assert await port.jobs() == []
            assert port.events.told == [("MissedWarmUp", "2 runs were not warmed up for")]
            assert await schedule_of(port, "autogen-monthly") == "50 23 31 3 *"


@pytest.mark.parametrize("policy", ["Allow", "Forbid", "Replace"])
async def test_a_late_start_keeps_to_the_policy(policy: str) -> None:
    async with slipway() as port, port.running():
        await port.make("busy", "0 0 1 * *", concurrencyPolicy=policy)
        await port.quiet()
        child = await port.child("autogen-busy")
        old = {"metadata": {"name": "busy-1"}, "spec": child["spec"]["jobTemplate"]["spec"]}
        await port.kube.client.create(JOBS, old)
        await port.fired("autogen-busy", parse_time("2029-12-31T23:50:00Z"), ("busy-1",))
        await port.reach(FIRST)
        await port.pass_time(seconds=10)
        new = named("autogen-busy", FIRST)
        expected = {"Allow": [new, "busy-1"], "Forbid": ["busy-1"], "Replace": [new]}
        assert sorted(await port.jobs()) == sorted(expected[policy])
        assert await schedule_of(port, "autogen-busy") == "50 23 28 2 *"


async def test_the_status_of_a_static_one_is_true_at_each_instant() -> None:
    async with slipway() as port, port.running():
        await port.make("hourly", "0 * * * *")
        await port.reach("00:49:59")
        assert (await port.status("hourly"))["nextWarmUpTime"] == "2030-01-01T00:50:00Z"
        await port.pass_time(seconds=1)
        assert (await port.status("hourly"))["nextWarmUpTime"] == "2030-01-01T01:50:00Z"
        assert (await port.status("hourly"))["nextRunTime"] == "2030-01-01T01:00:00Z"
        await port.fired("autogen-hourly", parse_time("2030-01-01T00:50:00Z"))
        await port.reach("01:00:00")
        status = await port.status("hourly")
        assert status["nextRunTime"] == "2030-01-01T02:00:00Z"
        assert status["lastWarmUpTime"] == "2030-01-01T00:50:00Z"
        assert status["lastRunTime"] == "2030-01-01T01:00:00Z"


async def test_between_its_times_nothing_is_asked_for() -> None:
    async with slipway() as port, port.running():
        await port.make("daily", "0 12 * * *")
        await port.make("bad", "61 * * * *")
        await port.quiet()
        before = len(port.proxy.calls)
        for _ in range(11):
            await port.pass_time(hours=1)
        assert len(port.proxy.calls) == before


async def test_a_clock_that_is_put_back_starts_nothing_twice() -> None:
    async with slipway() as port, port.running():
        await port.make("monthly", "0 0 1 * *")
        await port.reach(FIRST)
        await port.pass_time(seconds=10)
        port.clock.set_back(timedelta(hours=2))
        await port.change("monthly", {"metadata": {"labels": {"wake": "up"}}})
        await port.quiet()
        assert await port.jobs() == [named("autogen-monthly", FIRST)]
        await port.pass_time(hours=3)
        assert await port.jobs() == [named("autogen-monthly", FIRST)]
        assert await schedule_of(port, "autogen-monthly") == "50 23 28 2 *"


async def test_two_years_of_month_ends_on_the_api() -> None:
    """Each start is that of the one CronJob, at the time that it says itself."""
    async with slipway() as port, port.running():
        await port.make("monthly", "0 0 1 * *")
        starts = []
        for _ in range(24):
            await port.quiet()
            due = (await port.status("monthly"))["nextWarmUpTime"]
            child = await port.child("autogen-monthly")
            at = parse_time(due)
            assert child["spec"]["schedule"] == f"{at.minute} {at.hour} {at.day} {at.month} *"
            port.clock.advance(at - port.clock.now())
            await port.fired("autogen-monthly", at)
            starts.append(at)
        ends = [format_time(start + timedelta(minutes=10)) for start in starts]
        years = (2030, 2031, 2032)
        firsts = [f"{year}-{month:02}-01T00:00:00Z" for year in years for month in range(1, 13)]
        assert ends == firsts[1:25]
        assert await port.jobs() == []
        await port.quiet()
        assert (await port.child("autogen-monthly"))["metadata"]["generation"] == 25
