"""On a stock Velero's CRDs: no status subresource, and no fields for what we tell beyond Velero."""

from datetime import timedelta

import pytest

from kedge.api.crd import crds
from kedge.controllers.schedule.controller import ScheduleSettings
from kedge.kube.kind import Object
from kedge.testing.cluster import CRDS
from tests.integration.controllers.harbour import (
    NEEDED,
    Harbour,
    harbour,
    is_phase,
    is_waiting_for,
    status,
)
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

MARK = "kedge.dev/was-paused"
SKIPPING = ScheduleSettings(skip_immediately=True)


def is_marked(schedule: Object) -> bool:
    return MARK in (schedule["metadata"].get("annotations") or {})


async def ran_once(port: Harbour) -> str:
    await port.schedule("s", "@hourly")
    await port.until("s", is_phase("Enabled"))
    await port.pass_time(hours=1, milliseconds=1)
    await port.until("s", lambda one: "lastBackup" in status(one))
    return "s-20300101010000"


async def test_phase_and_last_backup_are_as_velero_has_them() -> None:
    async with harbour(stock_crds()) as port, port.running():
        name = await ran_once(port)
        assert status(await port.get("s")) == {
            "phase": "Enabled",
            "lastBackup": "2030-01-01T01:00:00Z",
        }
        assert await port.backups() == [name]
        await port.finish(name)
        await port.pass_time(hours=1)
        await port.until("s", lambda one: status(one)["lastBackup"] == "2030-01-01T02:00:00Z")
        assert await port.backups() == [name, "s-20300101020000"]


async def test_what_is_wrong_is_told_and_taken_back() -> None:
    async with harbour(stock_crds()) as port, port.running():
        await port.schedule("s", "nonsense")
        bad = await port.until("s", is_phase("FailedValidation"))
        assert "invalid schedule" in status(bad)["validationErrors"][0]
        await port.patch("s", {"spec": {"schedule": "@hourly"}})
        good = await port.until("s", is_phase("Enabled"))
        assert status(good) == {"phase": "Enabled"}
        await port.quiet()
        assert port.events.reasons == ["FailedValidation"]


async def test_a_run_is_one_post_and_one_patch_and_idle_is_nothing() -> None:
    async with harbour(stock_crds()) as port, port.running():
        name = await ran_once(port)
        await port.finish(name)
        await port.quiet()
        before = len(port.proxy.calls)
        await port.pass_time(hours=1)
        await port.until("s", lambda one: status(one)["lastBackup"] == "2030-01-01T02:00:00Z")
        await port.quiet()
        writes = ["POST backups", "PATCH schedules/s"]
        assert port.writes(before) == writes
        await port.patch("s", {"spec": {"paused": True}})
        await port.until("s", is_marked)
        await port.quiet()
        writes += ["PATCH schedules/s"]
        for _ in range(5):
            await port.pass_time(days=7)
        assert port.writes(before) == writes


async def test_a_blocked_schedule_is_told_once_though_no_condition_remembers_it() -> None:
    async with harbour(stock_crds()) as port, port.running():
        name = await ran_once(port)
        before = len(port.proxy.calls)
        await port.pass_time(hours=1)
        for phase in ("Queued", "ReadyToStart", "InProgress", "Finalizing"):
            await port.finish(name, phase)
            await port.quiet()
        assert port.events.reasons == ["Overlap"]
        assert port.writes(before) == []
        await port.finish(name)
        await port.until("s", lambda one: status(one)["lastBackup"] == "2030-01-01T02:00:00Z")
        assert len(await port.backups()) == 2


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("skip", [True, False])
async def test_a_skip_at_unpausing_works_also_across_a_restart(restart: bool, skip: bool) -> None:
    async with harbour(stock_crds()) as port:
        async with port.running():
            await ran_once(port)
            await port.finish("s-20300101010000")
            await port.patch("s", {"spec": {"paused": True}})
            await port.until("s", is_marked)
            await port.pass_time(hours=2)
            if not restart:
                await port.patch("s", {"spec": {"paused": False, "skipImmediately": skip}})
                await port.until("s", lambda one: not is_marked(one))
        if restart:
            await port.patch("s", {"spec": {"paused": False, "skipImmediately": skip}})
        async with port.running():
            done = await port.until("s", lambda one: not is_marked(one))
            await port.quiet()
        done = await port.get("s")
        assert len(await port.backups()) == (1 if skip else 2)
        assert status(done).get("lastSkipped") == ("2030-01-01T03:00:00Z" if skip else None)
        assert ("skipImmediately" in done["spec"]) != skip
        assert port.events.reasons.count("Skipped") == int(skip)


@pytest.mark.parametrize("restart", [False, True])
async def test_the_servers_default_skips_once_at_each_unpausing(restart: bool) -> None:
    async with harbour(stock_crds()) as port:
        async with port.running(SKIPPING):
            await port.schedule("s", "@hourly", paused=True)
            await port.until("s", is_marked)
            await port.pass_time(hours=2, minutes=30)
            if not restart:
                await port.patch("s", {"spec": {"paused": False}})
                await port.until("s", lambda one: not is_marked(one))
        if restart:
            await port.patch("s", {"spec": {"paused": False}})
        async with port.running(SKIPPING):
            await port.until("s", lambda one: not is_marked(one))
            await port.quiet()
            assert await port.backups() == []
            assert port.events.reasons == ["Skipped"]
            await port.pass_time(minutes=30, milliseconds=1)
            await port.until("s", lambda one: "lastBackup" in status(one))
            assert await port.backups() == ["s-20300101030000"]


async def test_a_schedule_that_is_new_is_skipped_once() -> None:
    async with harbour(stock_crds()) as port:
        await port.schedule("s", "@hourly", skipImmediately=True)
        port.clock.advance(timedelta(hours=3))
        async with port.running():
            done = await port.until("s", lambda one: "lastSkipped" in status(one))
            assert "skipImmediately" not in done["spec"], "one patch does both"
            await port.pass_time(hours=1, milliseconds=1)
            await port.until("s", lambda one: "lastBackup" in status(one))
            assert await port.backups() == ["s-20300101040000"]


async def test_a_tool_that_sets_the_skip_again_and_again_starves_nothing_and_loops_nowhere() -> (
    None
):
    wish = {"spec": {"skipImmediately": True}}
    async with harbour(stock_crds()) as port, port.running():
        await port.schedule("s", "*/5 * * * *", skipImmediately=True)
        await port.until("s", lambda one: "skipImmediately" not in one["spec"])
        for number in range(1, 61):
            await port.patch("s", wish)
            if number % 3 == 0:
                await port.pass_time(minutes=1, milliseconds=1 if number == 3 else 0)
                for name in await port.backups():
                    await port.finish(name)
        await port.quiet()
        assert len(await port.backups()) == 4
        # A Backup, its status, and a skip, in each interval.
        assert len(port.writes()) <= 4 * (4 + 1)


async def test_a_restart_finds_out_anew_what_is_kept_and_changes_nothing() -> None:
    async with harbour(stock_crds()) as port:
        async with port.running():
            await ran_once(port)
            await port.schedule("held", "@hourly", paused=True)
            await port.until("held", is_marked)
        versions = [(await port.get(name))["metadata"]["resourceVersion"] for name in ("s", "held")]
        for _ in range(3):
            before = len(port.proxy.calls)
            async with port.running():
                await port.quiet()
            assert len(port.writes(before)) <= 2
        again = [(await port.get(name))["metadata"]["resourceVersion"] for name in ("s", "held")]
        assert again == versions


async def test_the_clock_is_put_right_there_as_well() -> None:
    async with harbour(stock_crds()) as port, port.running():
        name = await ran_once(port)
        await port.finish(name)
        await port.pass_time(days=30)
        await port.until("s", lambda one: status(one)["lastBackup"] == "2030-01-31T01:00:00Z")
        await port.finish((await port.backups())[-1])
        port.clock.set_back(timedelta(days=30))
        await port.pass_time(hours=1)
        await port.until("s", lambda one: status(one)["lastBackup"] == "2030-01-01T02:00:00Z")


async def replace_kinds(port: Harbour) -> None:
    """Put our CRDs into the place of those that are there."""
    for crd in crds():
        name = crd["metadata"]["name"]
        if crd["spec"]["names"]["plural"] in NEEDED:
            there = await port.kube.client.get(f"{CRDS}/{name}")
            await port.kube.client.replace(f"{CRDS}/{name}", {**there, "spec": crd["spec"]})


@pytest.mark.parametrize("restart", [False, True])
async def test_our_kinds_can_take_the_place_of_a_stock_veleros(restart: bool) -> None:
    """A mark that was left behind must not be taken for a pause for ever."""
    async with harbour(stock_crds()) as port:
        async with port.running(SKIPPING):
            await port.schedule("s", "@hourly", paused=True)
            await port.until("s", is_marked)
            if not restart:
                await replace_kinds(port)
                await change_over(port)
        if restart:
            await replace_kinds(port)
            async with port.running(SKIPPING):
                await change_over(port)


async def change_over(port: Harbour) -> None:
    await port.pass_time(minutes=90)
    await port.patch("s", {"spec": {"paused": False}})
    await port.until("s", is_waiting_for("02:00:00"))
    assert await port.backups() == []
    await port.pass_time(minutes=30, milliseconds=1)
    await port.until("s", is_waiting_for("03:00:00"))
    assert await port.backups() == ["s-20300101020000"]
    await port.finish("s-20300101020000")
    await port.pass_time(hours=1)
    await port.until("s", is_waiting_for("04:00:00"))
    assert len(await port.backups()) == 2
