"""What people do to a Schedule and to the clock, and what they expect of it."""

from datetime import timedelta

import pytest

from tests.integration.controllers.harbour import (
    SCHEDULES,
    Harbour,
    condition,
    harbour,
    is_phase,
    is_waiting_for,
    status,
)

pytestmark = pytest.mark.asyncio


async def hourly(port: Harbour, runs: int = 0) -> None:
    """Make an hourly schedule, and let it run for some hours; all Backups end."""
    await port.schedule("often", "@hourly")
    await port.until("often", is_waiting_for("01:00:00"))
    for hour in range(1, runs + 1):
        await port.pass_time(hours=1, milliseconds=1 if hour == 1 else 0)
        await port.until("often", is_waiting_for(f"{hour + 1:02}:00:00"))
        await port.finish(f"often-20300101{hour:02}0000")


async def test_a_paused_schedule_makes_no_backups_and_says_so() -> None:
    async with harbour() as port, port.running():
        await hourly(port)
        await port.patch("often", {"spec": {"paused": True}})
        held = await port.until("often", lambda one: condition(one, "Paused") == "True/Paused")
        assert condition(held, "Ready") == "False/Paused"
        assert "nextRun" not in status(held)
        await port.pass_time(hours=30)
        assert await port.backups() == []


async def test_unpausing_before_the_next_run_changes_nothing() -> None:
    async with harbour() as port, port.running():
        await hourly(port)
        await port.patch("often", {"spec": {"paused": True}})
        await port.until("often", lambda one: condition(one, "Paused") == "True/Paused")
        await port.patch("often", {"spec": {"paused": False}})
        awake = await port.until("often", is_waiting_for("01:00:00"))
        assert condition(awake, "Paused") == "False/Running"
        assert condition(awake, "Ready") == "True/Scheduled"
        await port.pass_time(hours=1, milliseconds=1)
        await port.until("often", is_waiting_for("02:00:00"))
        assert await port.backups() == ["often-20300101010000"]


async def test_unpausing_makes_one_backup_for_all_that_was_missed() -> None:
    async with harbour() as port, port.running():
        await hourly(port)
        await port.patch("often", {"spec": {"paused": True}})
        await port.until("often", lambda one: condition(one, "Paused") == "True/Paused")
        await port.pass_time(hours=5, minutes=30)
        await port.patch("often", {"spec": {"paused": False}})
        await port.until("often", is_waiting_for("06:00:00"))
        assert await port.backups() == ["often-20300101050000"]
        assert port.events.told == [
            ("MissedRuns", "4 runs were missed; the run of 2030-01-01T05:00:00Z takes place now")
        ]


async def test_editing_the_expression_moves_the_next_run_and_makes_no_backup() -> None:
    async with harbour() as port, port.running():
        await hourly(port, runs=1)
        await port.patch("often", {"spec": {"schedule": "30 4 * * *"}})
        await port.until("often", is_waiting_for("04:30:00"))
        await port.pass_time(hours=3)
        assert await port.backups() == ["often-20300101010000"]
        await port.pass_time(minutes=30)
        await port.until("often", is_waiting_for("2030-01-02T04:30:00Z"))
        assert (await port.backups())[1:] == ["often-20300101043000"]


async def test_an_earlier_time_is_kept_when_the_expression_is_edited() -> None:
    async with harbour() as port, port.running():
        await port.schedule("yearly", "@yearly")
        await port.until("yearly", is_waiting_for("2031-01-01T00:00:00Z"))
        await port.patch("yearly", {"spec": {"schedule": "*/5 * * * *"}})
        await port.until("yearly", is_waiting_for("00:05:00"))
        await port.pass_time(minutes=5, milliseconds=1)
        await port.until("yearly", is_waiting_for("00:10:00"))
        assert await port.backups() == ["yearly-20300101000500"]


async def test_editing_into_nonsense_and_back_goes_on_from_the_last_backup() -> None:
    async with harbour() as port, port.running():
        await hourly(port, runs=2)
        await port.patch("often", {"spec": {"schedule": "61 * * * *"}})
        bad = await port.until("often", is_phase("FailedValidation"))
        assert status(bad)["lastBackup"] == "2030-01-01T02:00:00Z"
        assert "nextRun" not in status(bad)
        await port.pass_time(minutes=10)
        await port.patch("often", {"spec": {"schedule": "@hourly"}})
        await port.until("often", is_waiting_for("03:00:00"))
        assert len(await port.backups()) == 2


async def test_a_pause_is_remembered_through_a_time_of_nonsense() -> None:
    async with harbour() as port, port.running():
        await port.schedule("bad", "nonsense", paused=True)
        await port.until("bad", is_phase("FailedValidation"))
        before = {"status": {"lastBackup": "2029-12-31T23:00:00Z"}}
        await port.kube.client.patch(f"{SCHEDULES}/bad/status", before)
        await port.pass_time(hours=5)
        mended = {"schedule": "@hourly", "paused": False, "skipImmediately": True}
        await port.patch("bad", {"spec": mended})
        done = await port.until("bad", is_waiting_for("06:00:00"))
        assert status(done)["lastSkipped"] == "2030-01-01T05:00:00Z"
        assert await port.backups() == []


async def test_a_clock_that_is_moved_forward_leads_to_one_backup() -> None:
    async with harbour() as port, port.running():
        await hourly(port, runs=1)
        await port.pass_time(days=3, minutes=20)
        await port.until("often", is_waiting_for("2030-01-04T02:00:00Z"))
        assert (await port.backups())[1:] == ["often-20300104010000"]


async def test_a_clock_that_is_moved_back_repeats_no_run() -> None:
    async with harbour() as port, port.running():
        await hourly(port, runs=3)
        await port.pass_time(minutes=10)
        port.clock.set_back(timedelta(hours=1, minutes=30))  # 01:40
        await port.pass_time(minutes=50, milliseconds=1)
        await port.until("often", is_waiting_for("03:00:00"))
        await port.pass_time(minutes=30)
        await port.until("often", is_waiting_for("04:00:00"))
        assert len(await port.backups()) == 3, "each of these instants has its Backup"
        await port.pass_time(hours=1)
        await port.until("often", is_waiting_for("05:00:00"))
        assert (await port.backups())[3:] == ["often-20300101040000"]


async def test_a_clock_that_was_far_ahead_stops_nothing_when_it_is_put_right() -> None:
    async with harbour() as port, port.running():
        await hourly(port, runs=1)
        await port.pass_time(days=400)
        await port.until("often", is_waiting_for("2031-02-05T02:00:00Z"))
        await port.finish("often-20310205010000")
        port.clock.set_back(timedelta(days=400))
        await port.pass_time(hours=1)
        done = await port.until("often", is_waiting_for("03:00:00"))
        assert status(done)["lastBackup"] == "2030-01-01T02:00:00Z"
        await port.finish("often-20300101020000")
        await port.pass_time(hours=1)
        await port.until("often", is_waiting_for("04:00:00"))
        assert (await port.backups())[1:3] == ["often-20300101020000", "often-20300101030000"]


async def test_a_restart_after_the_clock_was_put_right_stops_nothing_either() -> None:
    async with harbour() as port:
        await port.schedule("often", "@every 2h")
        before = {"phase": "Enabled", "lastBackup": "2035-01-01T00:00:00Z"}
        before["lastSkipped"] = "2036-01-01T00:00:00Z"
        await port.kube.client.patch(f"{SCHEDULES}/often/status", {"status": before})
        async with port.running():
            # A little before now, so that a run of this very minute is not lost.
            told = await port.until("often", is_waiting_for("01:59:00"))
            assert status(told)["lastBackup"] == "2029-12-31T23:59:00Z"
            assert status(told)["lastSkipped"] == "2029-12-31T23:59:00Z"
            await port.pass_time(hours=2)
            await port.until("often", is_waiting_for("04:00:00"))
        assert await port.backups() == ["often-20300101015900"]


@pytest.mark.parametrize("expression", ["@hourly", "@every 1h"])
async def test_a_schedule_that_was_created_in_the_future_runs_as_well(expression: str) -> None:
    async with harbour() as port:
        await port.schedule("often", expression)
        port.clock.set_back(timedelta(days=1))
        async with port.running():
            await port.until("often", is_waiting_for("2029-12-31T01:00:00Z"))
            await port.pass_time(hours=1, milliseconds=1)
            await port.until("often", is_waiting_for("2029-12-31T02:00:00Z"))
            assert await port.backups() == ["often-20291231010000"]


async def test_names_that_a_wrong_clock_used_up_do_not_stand_in_for_runs() -> None:
    async with harbour() as port, port.running():
        await hourly(port)
        early = {"kedge.dev/due": "2030-01-01T01:00:00Z"}
        port.clock.set_back(timedelta(days=1))
        await port.manual("often-20300101010000", "often", annotations=early)
        await port.finish("often-20300101010000")
        port.clock.advance(timedelta(days=1))
        await port.pass_time(hours=1, milliseconds=1)
        await port.until("often", is_waiting_for("02:00:00"))
        assert await port.backups() == ["often-20300101010000", "often-20300101010000-1"]


async def test_a_schedule_that_is_deleted_makes_no_more_backups() -> None:
    async with harbour() as port, port.running():
        await hourly(port, runs=1)
        await port.kube.client.delete(f"{SCHEDULES}/often")
        await port.pass_time(hours=5)
        assert await port.backups() == ["often-20300101010000"]


async def test_a_schedule_of_the_same_name_begins_anew() -> None:
    async with harbour() as port, port.running():
        await hourly(port, runs=2)
        await port.pass_time(minutes=30)
        await port.kube.client.delete(f"{SCHEDULES}/often")
        await port.schedule("often", "@hourly")
        again = await port.until("often", is_waiting_for("03:00:00"))
        assert "lastBackup" not in status(again), "it has made none"
        await port.pass_time(minutes=30)
        again = await port.until("often", is_waiting_for("04:00:00"))
        assert status(again)["lastBackup"] == "2030-01-01T03:00:00Z"
        assert len(await port.backups()) == 3


async def test_a_schedule_of_the_same_name_asks_again_about_its_first_run() -> None:
    async with harbour() as port:
        async with port.running():
            await hourly(port, runs=1)
        await port.kube.client.delete(f"{SCHEDULES}/often")
        await port.schedule("often", "@hourly", skipImmediately=True)
        port.clock.advance(timedelta(hours=2, minutes=30))
        async with port.running():
            done = await port.until("often", is_waiting_for("04:00:00"))
            assert status(done)["lastSkipped"] == "2030-01-01T03:30:00Z"
        assert await port.backups() == ["often-20300101010000"]


@pytest.mark.parametrize("lag", [timedelta(minutes=10), timedelta(days=-2), timedelta(hours=7)])
async def test_a_server_whose_clock_is_wrong_gets_one_backup_for_each_instant(
    lag: timedelta,
) -> None:
    async with harbour(lag=lag) as port, port.running():
        await port.schedule("s", "@hourly")
        await port.quiet()
        await port.pass_time(milliseconds=1)
        for _ in range(4):
            for name in await port.backups():
                await port.finish(name)
            await port.pass_time(hours=1)
        made = [name for name in await port.backups() if name > "s-2030010101"]
        assert made == [f"s-203001010{hour}0000" for hour in (1, 2, 3, 4)]
