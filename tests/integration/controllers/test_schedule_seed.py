"""What the design of `skipImmediately` says, sentence by sentence; the clock begins at midnight."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from kedge.controllers.schedule.controller import ScheduleSettings
from kedge.kube.kind import Object
from tests.integration.controllers.harbour import (
    SCHEDULES,
    Harbour,
    condition,
    harbour,
    is_waiting_for,
    status,
)

pytestmark = pytest.mark.asyncio

SKIPPING = ScheduleSettings(skip_immediately=True)
AT_45 = "45 * * * *"


@asynccontextmanager
async def paused_over_its_run(
    settings: ScheduleSettings | None = None, **spec: Any
) -> AsyncIterator[Harbour]:
    """Pause `45 * * * *` at the 43rd minute, and go on to the 50th."""
    async with harbour() as port, port.running(settings):
        await port.schedule("half", AT_45, skipImmediately=False)
        await port.pass_time(minutes=43)
        await port.patch("half", {"spec": {"paused": True, "skipImmediately": None, **spec}})
        await port.until("half", lambda one: condition(one, "Paused") == "True/Paused")
        await port.pass_time(minutes=7)
        yield port


async def unpause(port: Harbour, **spec: Any) -> Object:
    await port.patch("half", {"spec": {"paused": False, **spec}})
    await port.until("half", is_waiting_for("01:45:00"))
    await port.quiet()
    return await port.get("half")


async def test_when_unpausing_a_schedule_a_backup_could_be_due_immediately() -> None:
    async with paused_over_its_run() as port:
        await unpause(port)
        assert await port.backups() == ["half-20300101004500"]


@pytest.mark.parametrize("skip", [True, False])
async def test_a_new_schedule_that_is_due_makes_a_backup_immediately_unless_told_to_skip(
    skip: bool,
) -> None:
    async with harbour() as port:
        await port.schedule("new", AT_45, skipImmediately=skip)
        port.clock.advance(timedelta(minutes=50))
        async with port.running():
            done = await port.until("new", is_waiting_for("01:45:00"))
            assert ("lastSkipped" in status(done)) == skip
        assert await port.backups() == ([] if skip else ["new-20300101004500"])


async def test_a_user_can_skip_the_backup_that_is_due_when_unpausing() -> None:
    async with paused_over_its_run() as port:
        done = await unpause(port, skipImmediately=True)
        assert await port.backups() == []
        assert status(done)["lastSkipped"] == "2030-01-01T00:50:00Z"


async def test_skipped_or_not_the_next_run_is_at_the_next_time_of_the_expression() -> None:
    for skip in (True, False):
        async with paused_over_its_run() as port:
            await unpause(port, skipImmediately=skip)
            for name in await port.backups():
                await port.finish(name)
            await port.pass_time(minutes=55, milliseconds=1)
            await port.until("half", is_waiting_for("02:45:00"))
            assert (await port.backups())[-1] == "half-20300101014500"


async def test_unpausing_with_false_does_not_skip_whatever_the_server_says() -> None:
    async with paused_over_its_run(SKIPPING, skipImmediately=True) as port:
        done = await unpause(port, skipImmediately=False)
        assert await port.backups() == ["half-20300101004500"]
        assert "lastSkipped" not in status(done)
        assert done["spec"]["skipImmediately"] is False


@pytest.mark.parametrize("skip", [True, False])
async def test_unpausing_without_the_flag_does_what_the_spec_says(skip: bool) -> None:
    async with paused_over_its_run(skipImmediately=skip) as port:
        await unpause(port)
        assert await port.backups() == ([] if skip else ["half-20300101004500"])


@pytest.mark.parametrize("server", [True, False])
async def test_where_the_spec_says_nothing_the_server_decides(server: bool) -> None:
    async with paused_over_its_run(ScheduleSettings(skip_immediately=server)) as port:
        done = await unpause(port)
        assert await port.backups() == ([] if server else ["half-20300101004500"])
        assert ("lastSkipped" in status(done)) == server
        assert "skipImmediately" not in done["spec"], "the server writes no default into the spec"


async def test_the_server_does_not_skip_unless_it_is_told_to() -> None:
    assert ScheduleSettings().skip_immediately is False


async def test_last_skipped_is_the_time_of_the_skip_and_the_field_is_taken_back() -> None:
    async with paused_over_its_run() as port:
        done = await unpause(port, skipImmediately=True)
        assert status(done)["lastSkipped"] == "2030-01-01T00:50:00Z"
        assert "skipImmediately" not in done["spec"]


async def test_the_field_can_be_used_again() -> None:
    async with paused_over_its_run() as port:
        await unpause(port, skipImmediately=True)
        await port.patch("half", {"spec": {"paused": True}})
        await port.until("half", lambda one: condition(one, "Paused") == "True/Paused")
        await port.pass_time(hours=1)
        await port.patch("half", {"spec": {"paused": False, "skipImmediately": True}})
        await port.until("half", is_waiting_for("02:45:00"))
        done = await port.until("half", lambda one: "skipImmediately" not in one["spec"])
        assert status(done)["lastSkipped"] == "2030-01-01T01:50:00Z"
        assert await port.backups() == []


async def test_the_field_is_taken_back_only_by_a_skip() -> None:
    async with harbour() as port, port.running():
        await port.schedule("held", AT_45, paused=True, skipImmediately=True)
        await port.until("held", lambda one: condition(one, "Paused") == "True/Paused")
        await port.pass_time(hours=5)
        done = await port.get("held")
        assert done["spec"]["skipImmediately"] is True
        assert "lastSkipped" not in status(done)


@pytest.mark.parametrize(
    ("known", "runs"),
    [
        pytest.param({}, True, id="from the creation, where there was no backup"),
        pytest.param({"lastBackup": "2029-12-31T23:45:00Z"}, True, id="from the last backup"),
        pytest.param({"lastBackup": "2030-01-01T00:45:00Z"}, False, id="it ran already"),
        pytest.param(
            {"lastBackup": "2029-12-31T23:45:00Z", "lastSkipped": "2030-01-01T00:46:00Z"},
            False,
            id="a skip that is more recent than the backup",
        ),
        pytest.param(
            {"lastSkipped": "2030-01-01T00:46:00Z"}, False, id="a recent skip, and no backup"
        ),
        pytest.param(
            {"lastBackup": "2029-12-31T23:45:00Z", "lastSkipped": "2029-12-31T22:00:00Z"},
            True,
            id="a skip that is older than the backup",
        ),
        pytest.param({"lastSkipped": "2030-01-01T00:10:00Z"}, True, id="a skip before the run"),
    ],
)
async def test_the_more_recent_of_backup_and_skip_counts(known: Object, runs: bool) -> None:
    async with harbour() as port:
        await port.schedule("half", AT_45)
        before = {"status": {"phase": "Enabled", **known}}
        await port.kube.client.patch(f"{SCHEDULES}/half/status", before)
        port.clock.advance(timedelta(minutes=50))
        async with port.running():
            await port.until("half", is_waiting_for("01:45:00"))
        assert await port.backups() == (["half-20300101004500"] if runs else [])


async def test_a_schedule_of_an_older_version_behaves_as_before() -> None:
    async with harbour() as port:
        await port.schedule("old", AT_45)
        before = {"status": {"phase": "Enabled", "lastBackup": "2029-12-01T00:45:00Z"}}
        await port.kube.client.patch(f"{SCHEDULES}/old/status", before)
        port.clock.advance(timedelta(minutes=50))
        async with port.running():
            done = await port.until("old", is_waiting_for("01:45:00"))
        assert await port.backups() == ["old-20300101004500"]
        assert "skipImmediately" not in done["spec"]
