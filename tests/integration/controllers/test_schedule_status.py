"""What a Schedule says of itself: its status, its conditions, and its Events."""

from datetime import timedelta

import pytest

from kedge.controllers.schedule.controller import ScheduleSettings
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

UNFINISHED = (
    "New",
    "Queued",
    "ReadyToStart",
    "InProgress",
    "WaitingForPluginOperations",
    "WaitingForPluginOperationsPartiallyFailed",
    "Finalizing",
    "FinalizingPartiallyFailed",
)
FINISHED = ("Completed", "PartiallyFailed", "Failed", "FailedValidation", "Deleting")


async def ran_once(port: Harbour) -> str:
    """Have an hourly schedule that has made its first Backup; give its name."""
    await port.schedule("s", "@hourly")
    await port.until("s", is_waiting_for("01:00:00"))
    await port.pass_time(hours=1, milliseconds=1)
    await port.until("s", is_waiting_for("02:00:00"))
    return "s-20300101010000"


async def test_a_schedule_that_works_says_when_it_runs_next() -> None:
    async with harbour() as port, port.running():
        await ran_once(port)
        told = await port.get("s")
        conditions = status(told).pop("conditions")
        assert status(told) == {
            "phase": "Enabled",
            "lastBackup": "2030-01-01T01:00:00Z",
            "nextRun": "2030-01-01T02:00:00Z",
            "observedGeneration": 1,
        }
        assert [(one["type"], one["status"], one["reason"]) for one in conditions] == [
            ("Ready", "True", "Scheduled"),
            ("Paused", "False", "Running"),
            ("Blocked", "False", "Free"),
        ]
        assert {one["observedGeneration"] for one in conditions} == {1}
        assert {one["lastTransitionTime"] for one in conditions} == {"2030-01-01T00:00:00Z"}


async def test_the_status_follows_the_generation() -> None:
    async with harbour() as port, port.running():
        await ran_once(port)
        await port.patch("s", {"spec": {"template": {"ttl": "1h0m0s"}}})
        told = await port.until("s", lambda one: status(one)["observedGeneration"] == 2)
        assert {one["observedGeneration"] for one in status(told)["conditions"]} == {2}


async def test_a_condition_keeps_its_time_while_it_stays_as_it_is() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly")
        await port.until("s", is_waiting_for("01:00:00"))
        await port.pass_time(minutes=10)
        await port.patch("s", {"spec": {"paused": True}})
        held = await port.until("s", lambda one: condition(one, "Paused") == "True/Paused")
        times = {one["type"]: one["lastTransitionTime"] for one in status(held)["conditions"]}
        assert times == {
            "Ready": "2030-01-01T00:10:00Z",
            "Paused": "2030-01-01T00:10:00Z",
            "Blocked": "2030-01-01T00:00:00Z",
        }


@pytest.mark.parametrize("phase", UNFINISHED)
async def test_no_phase_but_a_final_one_lets_the_next_run_begin(phase: str) -> None:
    async with harbour() as port, port.running():
        name = await ran_once(port)
        await port.finish(name, phase)
        await port.pass_time(hours=1)
        held = await port.until("s", lambda one: condition(one, "Blocked") == "True/Overlap")
        assert status(held)["nextRun"] == "2030-01-01T02:00:00Z"
        assert condition(held, "Ready") == "False/Blocked"
        text = f"the run of 2030-01-01T02:00:00Z waits: Backup {name} is not finished"
        assert port.events.told == [("Overlap", text)]
        assert await port.backups() == [name]


@pytest.mark.parametrize("phase", FINISHED)
async def test_each_final_phase_lets_the_next_run_begin(phase: str) -> None:
    async with harbour() as port, port.running():
        await port.finish(await ran_once(port), phase)
        await port.pass_time(hours=1)
        await port.until("s", is_waiting_for("03:00:00"))
        assert len(await port.backups()) == 2


async def test_a_blocked_run_begins_when_the_backup_is_deleted() -> None:
    async with harbour() as port, port.running():
        name = await ran_once(port)
        await port.pass_time(hours=1)
        await port.until("s", lambda one: condition(one, "Blocked") == "True/Overlap")
        await port.kube.client.delete(f"/apis/velero.io/v1/namespaces/velero/backups/{name}")
        await port.until("s", is_waiting_for("03:00:00"))
        assert await port.backups() == ["s-20300101020000"]


async def test_a_schedule_that_is_blocked_for_long_has_one_backup_waiting_and_one_event() -> None:
    async with harbour() as port, port.running():
        name = await ran_once(port)
        for hour in range(24):
            await port.pass_time(hours=1)
            await port.finish(name, "Queued" if hour % 2 else "InProgress")
        await port.quiet()
        assert await port.backups() == [name]
        assert port.events.reasons == ["Overlap"]
        await port.finish(name)
        await port.until("s", is_waiting_for("2030-01-02T02:00:00Z"))
        assert await port.backups() == [name, "s-20300102010000"]
        assert port.events.told[1:] == [
            ("MissedRuns", "23 runs were missed; the run of 2030-01-02T01:00:00Z takes place now")
        ]


async def test_blocked_again_is_told_again() -> None:
    async with harbour() as port, port.running():
        name = await ran_once(port)
        for hour in (2, 3):
            await port.pass_time(hours=1)
            await port.until("s", lambda one: condition(one, "Blocked") == "True/Overlap")
            await port.finish(name)
            await port.until("s", is_waiting_for(f"{hour + 1:02}:00:00"))
            name = f"s-20300101{hour:02}0000"
        assert port.events.reasons == ["Overlap", "Overlap"]


async def test_what_was_told_is_not_told_again_after_a_restart() -> None:
    async with harbour() as port:
        async with port.running():
            await port.schedule("bad", "nonsense")
            await port.until("bad", is_phase("FailedValidation"))
            await ran_once(port)
            await port.pass_time(hours=1)
            await port.until("s", lambda one: condition(one, "Blocked") == "True/Overlap")
        told = list(port.events.told)
        for _ in range(2):
            async with port.running():
                await port.quiet()
        assert port.events.told == told
        assert sorted(port.events.reasons) == ["FailedValidation", "Overlap"]


async def test_a_skip_is_told_once() -> None:
    async with harbour() as port:
        await port.schedule("s", "@hourly")
        port.clock.advance(timedelta(hours=3))
        for _ in range(2):
            async with port.running(ScheduleSettings(skip_immediately=True)):
                await port.until("s", is_waiting_for("04:00:00"))
        text = "the run that may be due is skipped; the next run is 2030-01-01T04:00:00Z"
        assert port.events.told == [("Skipped", text)]


async def test_missed_runs_are_told_though_somebody_changes_the_schedule_meanwhile() -> None:
    async with harbour() as port:
        await port.schedule("s", "@hourly")
        port.clock.advance(timedelta(hours=3, minutes=1))
        port.proxy.inject(
            faults.Refuse(faults.conflict()), faults.matches(resource="schedules/status"), times=1
        )
        async with port.running():
            await port.pass_time(seconds=1)
            await port.until("s", is_waiting_for("04:00:00"))
        assert port.events.reasons == ["MissedRuns"]
        assert await port.backups() == ["s-20300101030000"]


async def test_a_backup_that_the_server_refuses_is_told_and_tried_again() -> None:
    async with harbour() as port, port.running():
        labels = {"metadata": {"labels": {"team": "not a label value!"}}}
        await port.schedule("s", "@hourly", template=labels)
        await port.until("s", is_waiting_for("01:00:00"))
        await port.pass_time(hours=1, milliseconds=1)
        told = await port.until("s", lambda one: condition(one, "Ready") == "False/BackupRefused")
        assert "team" in status(told)["conditions"][0]["message"] or "label" in str(told)
        assert status(told)["nextRun"] == "2030-01-01T01:00:00Z"
        assert status(told)["phase"] == "Enabled"
        await port.pass_time(seconds=1)
        await port.pass_time(seconds=1)
        assert port.events.reasons == ["BackupRefused"], "told once, though tried more often"
        assert port.writes().count("POST backups") >= 2
        good = {"metadata": {"labels": {"team": "blue"}}}
        await port.patch("s", {"spec": {"template": good}})
        mended = await port.until("s", is_waiting_for("02:00:00"))
        assert condition(mended, "Ready") == "True/Scheduled"
        assert await port.backups() == ["s-20300101010000"]


async def test_a_quota_that_is_used_up_is_told_too() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly")
        await port.until("s", is_waiting_for("01:00:00"))
        reply = faults.bare(403, "exceeded quota")
        port.proxy.inject(faults.Refuse(reply), faults.matches(resource="backups", write=True))
        await port.pass_time(hours=1, milliseconds=1)
        told = await port.until("s", lambda one: condition(one, "Ready") == "False/BackupRefused")
        assert "exceeded quota" in status(told)["conditions"][0]["message"]


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        pytest.param("", "Schedule must be a non-empty valid Cron expression", id="empty"),
        pytest.param("  ", "Schedule must be a non-empty valid Cron expression", id="blank"),
        pytest.param("0 0 30 2 *", "it never runs", id="an impossible date"),
        pytest.param("@every 99999999h", "longer than 292 years", id="an impossible interval"),
        pytest.param("@reboot", "invalid schedule: ", id="an unknown word"),
        pytest.param("CRON_TZ=Foo/Bar * * * * *", "Foo/Bar", id="an unknown zone"),
        pytest.param("TZ=UTC", "invalid schedule: ", id="a zone alone"),
        pytest.param("* * * * 7", "invalid schedule: ", id="a day of the week too many"),
    ],
)
@pytest.mark.parametrize("paused", [True, False])
async def test_an_expression_that_can_not_be_used_is_refused_also_while_paused(
    expression: str, words: str, paused: bool
) -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", expression, paused=paused)
        bad = await port.until("s", is_phase("FailedValidation"))
        [error] = status(bad)["validationErrors"]
        assert words in error
        assert "nextRun" not in status(bad)
        await port.pass_time(days=2)
        assert await port.backups() == []
        assert port.events.reasons == ["FailedValidation"]


async def test_the_servers_default_is_used_up_by_no_schedule() -> None:
    async with harbour() as port:
        names = [f"s{number}" for number in range(5)]
        for name in names:
            await port.schedule(name, "@hourly")
        port.clock.advance(timedelta(hours=3))
        async with port.running(ScheduleSettings(skip_immediately=True)):
            for name in names:
                done = await port.until(name, is_waiting_for("04:00:00"))
                assert "lastSkipped" in status(done)
        assert await port.backups() == []
