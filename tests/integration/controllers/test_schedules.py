"""Schedules make Backups, on the embedded API, in virtual time."""

from datetime import timedelta

import pytest

from kedge.controllers.schedule.controller import ScheduleSettings
from tests.integration.controllers.harbour import (
    BACKUPS,
    condition,
    harbour,
    is_waiting_for,
    status,
)


@pytest.mark.asyncio
async def test_a_backup_is_made_at_each_instant_and_named_after_it() -> None:
    async with harbour() as port, port.running():
        await port.schedule("nightly", "0 1 * * *")
        await port.until("nightly", is_waiting_for("2030-01-01T01:00:00Z"))
        assert await port.backups() == []
        await port.pass_time(hours=1, milliseconds=1)
        done = await port.until("nightly", is_waiting_for("2030-01-02T01:00:00Z"))
        assert status(done)["lastBackup"] == "2030-01-01T01:00:00Z"
        assert status(done)["phase"] == "Enabled"
        assert await port.backups() == ["nightly-20300101010000"]
        backup = await port.kube.client.get(f"{BACKUPS}/nightly-20300101010000")
        assert backup["metadata"]["labels"] == {"velero.io/schedule-name": "nightly"}
        assert backup["metadata"]["annotations"] == {"kedge.dev/due": "2030-01-01T01:00:00Z"}
        assert backup["spec"]["ttl"] == "24h0m0s"
        await port.finish("nightly-20300101010000")
        await port.pass_time(days=1)
        await port.until("nightly", is_waiting_for("2030-01-03T01:00:00Z"))
        assert await port.backups() == ["nightly-20300101010000", "nightly-20300102010000"]


@pytest.mark.asyncio
async def test_a_run_waits_while_the_one_before_is_not_finished() -> None:
    async with harbour() as port, port.running():
        await port.schedule("often", "0 * * * *")
        await port.until("often", is_waiting_for("2030-01-01T01:00:00Z"))
        await port.pass_time(hours=1, seconds=1)
        await port.until("often", is_waiting_for("2030-01-01T02:00:00Z"))
        await port.finish("often-20300101010000", "Queued")
        await port.pass_time(hours=2)
        blocked = await port.until("often", lambda one: condition(one, "Blocked") == "True/Overlap")
        assert status(blocked)["lastBackup"] == "2030-01-01T01:00:01Z"
        await port.finish("often-20300101010000")
        await port.until("often", lambda one: condition(one, "Blocked") == "False/Free")
        assert await port.backups() == ["often-20300101010000", "often-20300101030000"]
        assert [reason for reason, _ in port.events.told] == ["Overlap", "MissedRuns"]


@pytest.mark.asyncio
@pytest.mark.parametrize("skip", [True, False])
async def test_unpausing_skips_the_run_that_is_due_if_told_so(skip: bool) -> None:
    async with harbour() as port, port.running():
        await port.schedule("half", "45 * * * *", paused=True)
        await port.until("half", lambda one: condition(one, "Paused") == "True/Paused")
        port.clock.advance(timedelta(minutes=50))
        await port.patch("half", {"spec": {"paused": False, "skipImmediately": skip}})
        done = await port.until("half", is_waiting_for("2030-01-01T01:45:00Z"))
        if skip:
            done = await port.until("half", lambda one: "skipImmediately" not in one["spec"])
            assert status(done)["lastSkipped"] == "2030-01-01T00:50:00Z"
        assert await port.backups() == ([] if skip else ["half-20300101004500"])


@pytest.mark.asyncio
async def test_the_servers_default_skips_each_new_schedule_once() -> None:
    async with harbour() as port:
        await port.schedule("one", "0 * * * *")
        await port.schedule("two", "0 * * * *")
        port.clock.advance(timedelta(hours=3))
        async with port.running(ScheduleSettings(skip_immediately=True)):
            for name in ("one", "two"):
                done = await port.until(name, is_waiting_for("2030-01-01T04:00:00Z"))
                assert status(done)["lastSkipped"] == "2030-01-01T03:00:00Z"
            assert await port.backups() == []
            await port.pass_time(hours=1, milliseconds=1)
            for name in ("one", "two"):
                await port.until(name, is_waiting_for("2030-01-01T05:00:00Z"))
            assert len(await port.backups()) == 2


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        pytest.param("", "Schedule must be a non-empty valid Cron expression", id="empty"),
        pytest.param("* * * *", "invalid schedule: ", id="four fields"),
        pytest.param("0 0 30 2 *", "it never runs", id="an impossible date"),
    ],
)
async def test_a_bad_expression_is_told_in_the_status(expression: str, words: str) -> None:
    async with harbour() as port, port.running():
        await port.schedule("bad", expression, paused=True)
        told = await port.until("bad", lambda one: status(one).get("phase") == "FailedValidation")
        assert words in status(told)["validationErrors"][0]
        await port.patch("bad", {"spec": {"schedule": "@hourly"}})
        mended = await port.until("bad", lambda one: status(one).get("phase") == "Enabled")
        assert "validationErrors" not in status(mended)


@pytest.mark.asyncio
async def test_a_crash_between_backup_and_status_makes_no_second_backup() -> None:
    async with harbour() as port:
        await port.schedule("nightly", "0 1 * * *")
        async with port.running():
            await port.until("nightly", is_waiting_for("2030-01-01T01:00:00Z"))
        port.clock.advance(timedelta(hours=1, seconds=1))
        made = {
            "apiVersion": "velero.io/v1",
            "kind": "Backup",
            "metadata": {
                "name": "nightly-20300101010000",
                "labels": {"velero.io/schedule-name": "nightly"},
                "annotations": {"kedge.dev/due": "2030-01-01T01:00:00Z"},
            },
            "spec": {},
        }
        await port.kube.client.create(BACKUPS, made)
        async with port.running():
            done = await port.until("nightly", is_waiting_for("2030-01-02T01:00:00Z"))
            assert status(done)["lastBackup"] == "2030-01-01T01:00:01Z"
            assert await port.backups() == ["nightly-20300101010000"]
