"""How often the controller writes: the fewest times that can be."""

from datetime import timedelta

import pytest

from kedge.testing import faults
from tests.integration.controllers.harbour import (
    Harbour,
    condition,
    harbour,
    is_phase,
    is_waiting_for,
    status,
)

pytestmark = pytest.mark.asyncio

SECONDS = 4 * 60


async def version(port: Harbour, name: str) -> str:
    found: str = (await port.get(name))["metadata"]["resourceVersion"]
    return found


async def test_a_new_schedule_is_one_patch() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly")
        await port.until("s", is_waiting_for("01:00:00"))
        await port.quiet()
        assert port.writes() == ["PATCH schedules/s/status"]


async def test_a_run_is_one_post_and_one_patch() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "*/10 * * * *")
        await port.until("s", is_waiting_for("00:10:00"))
        await port.quiet()
        for minute in (10, 20, 30, 40):
            before = len(port.proxy.calls)
            await port.pass_time(minutes=10, milliseconds=1 if minute == 10 else 0)
            await port.until("s", is_waiting_for(f"00:{minute + 10}:00"))
            await port.quiet()
            assert port.writes(before) == ["POST backups", "PATCH schedules/s/status"]
            reads = {call.path for call in port.proxy.calls[before:] if not call.is_write}
            assert reads <= {"/apis/velero.io/v1"}, "what the server has is found out now and then"
            before = len(port.proxy.calls)
            await port.finish(f"s-2030010100{minute}00", "InProgress")
            await port.finish(f"s-2030010100{minute}00")
            await port.quiet()
            assert len(port.proxy.calls) == before, "the end of a Backup changes nothing"


async def test_many_runs_at_the_same_instant_are_one_post_and_one_patch_each() -> None:
    names = [f"s{number:02}" for number in range(40)]
    async with harbour() as port, port.running():
        for name in names:
            await port.schedule(name, "@hourly")
        for name in names:
            await port.until(name, is_waiting_for("01:00:00"))
        await port.quiet()
        before = len(port.proxy.calls)
        await port.pass_time(hours=1, milliseconds=1)
        for name in names:
            await port.until(name, is_waiting_for("02:00:00"))
        await port.quiet()
        patches = [f"PATCH schedules/{name}/status" for name in names]
        assert sorted(port.writes(before)) == sorted(patches + ["POST backups"] * len(names))


async def test_idle_is_no_request_at_all() -> None:
    async with harbour() as port, port.running():
        await port.schedule("next-year", "@yearly")
        await port.until("next-year", is_waiting_for("2031-01-01T00:00:00Z"))
        await port.schedule("held", "@hourly", paused=True)
        await port.until("held", lambda one: condition(one, "Paused") == "True/Paused")
        await port.schedule("bad", "nonsense")
        await port.until("bad", is_phase("FailedValidation"))
        await port.quiet()
        before = len(port.proxy.calls)
        for _ in range(10):
            await port.pass_time(hours=7)
        assert len(port.proxy.calls) == before


async def test_a_restart_writes_nothing() -> None:
    async with harbour() as port:
        async with port.running():
            await port.schedule("s", "@hourly")
            await port.until("s", is_waiting_for("01:00:00"))
            await port.schedule("held", "@hourly", paused=True)
            await port.until("held", lambda one: condition(one, "Paused") == "True/Paused")
            await port.schedule("bad", "nonsense")
            await port.until("bad", is_phase("FailedValidation"))
            await port.pass_time(hours=1, milliseconds=1)
            await port.until("s", is_waiting_for("02:00:00"))
        before = len(port.proxy.calls)
        async with port.running():
            await port.quiet()
        assert port.writes(before) == []


async def test_a_blocked_schedule_writes_once_however_often_its_backup_tells_of_itself() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly")
        await port.until("s", is_waiting_for("01:00:00"))
        await port.pass_time(hours=1, milliseconds=1)
        await port.until("s", is_waiting_for("02:00:00"))
        await port.pass_time(hours=1)
        await port.until("s", lambda one: condition(one, "Blocked") == "True/Overlap")
        await port.quiet()
        before = len(port.proxy.calls)
        for phase in ("Queued", "ReadyToStart", "InProgress", "Finalizing"):
            await port.finish("s-20300101010000", phase)
            await port.quiet()
        assert port.writes(before) == []
        assert port.events.reasons == ["Overlap"]


async def test_a_skip_is_a_status_and_a_spec_and_then_nothing() -> None:
    async with harbour() as port:
        await port.schedule("s", "@hourly", skipImmediately=True)
        port.clock.advance(timedelta(hours=3))
        async with port.running():
            await port.until("s", lambda one: "skipImmediately" not in one["spec"])
            await port.quiet()
            assert port.writes() == [
                "PATCH schedules/s/status",
                "PATCH schedules/s",
                "PATCH schedules/s/status",  # what generation it is about
            ]


async def test_a_tool_that_sets_the_skip_again_and_again_starves_nothing_and_loops_nowhere() -> (
    None
):
    """As GitOps does: each second, `true` once more."""
    wish = {"spec": {"skipImmediately": True}}
    async with harbour() as port, port.running():
        await port.schedule("s", "* * * * *", skipImmediately=True)
        await port.until("s", lambda one: "skipImmediately" not in one["spec"])
        for second in range(1, SECONDS + 1):
            await port.patch("s", wish)
            is_near_a_run = (second + 2) % 60 < 4
            if is_near_a_run:
                await port.quiet()
                for name in await port.backups():
                    await port.finish(name)
                await port.quiet()
            port.clock.advance(timedelta(seconds=1, milliseconds=1 if second == 60 else 0))
        await port.quiet()
        minutes = SECONDS // 60
        assert await port.backups() == [f"s-203001010{one:03}00" for one in range(1, minutes + 1)]
        # Per interval: the Backup and its status; the skip, its removal, and the word that both
        # were seen, once more when the tool has set it again.
        assert len(port.writes()) <= 7 * (minutes + 1)
        await port.patch("s", wish)
        await port.quiet()
        calm = await version(port, "s")
        for _ in range(10):
            await port.patch("s", wish)
            await port.quiet()
        assert await version(port, "s") == calm, "a wish that is there already moves nothing"


async def test_a_standing_policy_to_skip_never_writes_to_the_spec() -> None:
    policy = {"annotations": {"kedge.dev/skip-immediately": "always"}}
    async with harbour() as port:
        await port.schedule("s", "@hourly", policy, skipImmediately=True)
        port.clock.advance(timedelta(hours=3))
        async with port.running():
            done = await port.until("s", is_waiting_for("04:00:00"))
            assert status(done)["lastSkipped"] == "2030-01-01T03:00:00Z"
            await port.patch("s", {"spec": {"paused": True}})
            await port.until("s", lambda one: condition(one, "Paused") == "True/Paused")
            await port.pass_time(hours=2)
            await port.patch("s", {"spec": {"paused": False}})
            done = await port.until("s", is_waiting_for("06:00:00"))
            assert status(done)["lastSkipped"] == "2030-01-01T05:00:00Z"
            await port.pass_time(hours=1, milliseconds=1)
            await port.until("s", is_waiting_for("07:00:00"))
        assert await port.backups() == ["s-20300101060000"]
        assert "PATCH schedules/s" not in port.writes()
        assert (await port.get("s"))["spec"]["skipImmediately"] is True


async def test_an_answer_before_its_event_and_an_event_before_its_answer_are_the_same() -> None:
    for fault in (faults.AnswerFirst(), faults.EventFirst()):
        async with harbour() as port, port.running():
            port.proxy.inject(fault, faults.matches(write=True))
            await port.schedule("s", "@hourly")
            await port.until("s", is_waiting_for("01:00:00"))
            await port.pass_time(hours=1, milliseconds=1)
            await port.until("s", is_waiting_for("02:00:00"))
            await port.quiet()
            assert port.writes() == [
                "PATCH schedules/s/status",
                "POST backups",
                "PATCH schedules/s/status",
            ]


async def test_a_cache_of_schedules_that_lags_behind_leads_to_no_second_write() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly")
        await port.until("s", is_waiting_for("01:00:00"))
        await port.quiet()
        before = len(port.proxy.calls)
        hold = port.proxy.hold(faults.matches(watch=True, resource="schedules"))
        await port.pass_time(hours=1, milliseconds=1)
        await port.until("s", is_waiting_for("02:00:00"))
        await port.finish("s-20300101010000")
        await port.quiet()
        hold.release()
        await port.quiet()
        assert port.writes(before) == ["POST backups", "PATCH schedules/s/status"]


async def test_a_cache_of_backups_that_lags_behind_leads_to_no_overlap() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "* * * * *")
        await port.until("s", is_waiting_for("00:01:00"))
        await port.quiet()
        hold = port.proxy.hold(faults.matches(watch=True, resource="backups"))
        await port.pass_time(minutes=1, milliseconds=1)
        await port.until("s", is_waiting_for("00:02:00"))
        await port.pass_time(minutes=1)
        await port.until("s", lambda one: condition(one, "Blocked") == "True/Overlap")
        assert await port.backups() == ["s-20300101000100"]
        hold.release()
        await port.finish("s-20300101000100")
        await port.until("s", is_waiting_for("00:03:00"))
        assert len(await port.backups()) == 2


async def test_a_status_is_not_written_over_a_schedule_that_was_not_seen() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly")
        await port.until("s", is_waiting_for("01:00:00"))
        await port.quiet()
        before = len(port.proxy.calls)
        hold = port.proxy.hold(faults.matches(watch=True, resource="schedules"))
        await port.patch("s", {"spec": {"paused": True}})
        await port.pass_time(hours=1, milliseconds=1)
        patches = [call for call in port.proxy.calls[before:] if call.method == "PATCH"]
        assert {code for call in patches for code in call.answered} == {409}
        hold.release()
        held = await port.until("s", lambda one: condition(one, "Paused") == "True/Paused")
        assert status(held)["observedGeneration"] == 2
