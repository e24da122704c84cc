"""Progress is told, but not too often; numbers, Events and rights are what is said of them."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from kedge.controllers.backup.metrics import BackupMetrics
from kedge.controllers.backup.rights import RIGHTS as OF_BACKUPS
from kedge.controllers.queue.rights import RIGHTS as OF_QUEUE
from kedge.kube.kind import Object
from kedge.testing import FakeClock
from tests.integration.controllers.quay import BACKUPS, HOME, Collector, Quay, Server, phase, quay
from tests.integration.eventually import eventually

pytestmark = pytest.mark.asyncio


def writes(port: Quay) -> int:
    return len([call for call in port.proxy.calls if call.is_write])


def is_done(count: int) -> Callable[[Object], bool]:
    def holds(backup: Object) -> bool:
        progress = backup["status"].get("progress") or {}
        return bool(progress.get("itemsBackedUp") == count)

    return holds


async def ticked(clock: FakeClock) -> None:
    """Let a second pass, once the backup has gone to sleep for one."""
    await clock.slept(lambda delays: any(0 < one <= 1.0 for one in delays))
    clock.advance(timedelta(seconds=1))


async def test_progress_is_told_each_second_if_there_is_any(tmp_path: Path) -> None:
    clock, collector = FakeClock(), Collector(gate=asyncio.Event())
    server = Server(tmp_path, clock=clock, collect=collector)
    async with quay(server) as port, port.running():
        await port.backup("b")
        await eventually(lambda: collector.begun == ["b"])
        assert port.events.reasons == []
        await ticked(clock)
        await port.until("b", is_done(1))
        await eventually(lambda: port.events.reasons == ["BackupStarted"])
        before = writes(port)
        for _ in range(3):
            await ticked(clock)
        await clock.slept(lambda delays: any(0 < one <= 1.0 for one in delays))
        assert writes(port) == before
        for _ in range(100):
            collector.progress.done += 1
        await ticked(clock)
        await port.until("b", is_done(101))
        assert writes(port) == before + 1
        assert collector.gate is not None
        collector.gate.set()
        status = await port.ended("b")
        assert status["progress"] == {"totalItems": 3, "itemsBackedUp": 3}
        assert status["startTimestamp"] == "2030-01-01T00:00:00Z"
        assert status["completionTimestamp"] == "2030-01-01T00:00:05Z"
        await eventually(lambda: port.events.reasons == ["BackupStarted", "BackupCompleted"])


async def test_numbers_are_told_for_each_schedule_that_there_is(tmp_path: Path) -> None:
    metrics = BackupMetrics()
    registry = CollectorRegistry()
    registry.register(metrics)

    def told(name: str) -> bool:
        return name in generate_latest(registry).decode()

    async with quay(Server(tmp_path, numbers=metrics)) as port, port.running():
        schedule = {
            "apiVersion": "velero.io/v1",
            "kind": "Schedule",
            "metadata": {"name": "nightly"},
            "spec": {"schedule": "@daily", "template": {}},
        }
        await port.admin.create(f"{HOME}/schedules", schedule)
        await eventually(lambda: told('velero_backup_attempt_total{schedule="nightly"} 0.0'))
        await port.backup("b", {"labels": {"velero.io/schedule-name": "nightly"}})
        await port.backup("alone")
        for name in ("b", "alone"):
            await port.ended(name)
        for label in ("nightly", ""):
            line = f'velero_backup_success_total{{schedule="{label}"}} 1.0'
            await eventually(lambda line=line: told(line))  # type: ignore[misc]
        assert told('velero_backup_items_total{schedule="nightly"} 3.0')
        await port.admin.delete(f"{HOME}/schedules/nightly")
        await eventually(lambda: not told("nightly"))


async def test_no_more_is_asked_of_the_api_than_is_written_down(tmp_path: Path) -> None:
    collector = Collector(failure=RuntimeError("no way"))
    server = Server(tmp_path, collect=collector, numbers=BackupMetrics())
    async with quay(server) as port:
        rules = {"metadata": {"name": "rules"}, "data": {"rules": "version: v1"}}
        await port.admin.create("/api/v1/namespaces/velero/configmaps", rules)
        await port.backup("left", storageLocation="default")
        await port.set_status(f"{BACKUPS}/left", {"phase": "InProgress"})
        async with port.running():
            await port.backup("b", resourcePolicy={"kind": "configmap", "name": "rules"})
            for name in ("left", "b"):
                assert (await port.ended(name))["phase"] == "Failed"
                await port.until(name, lambda one: "unfinished-files" not in str(one["metadata"]))
        aims = [call.request.aim for call in port.proxy.calls]
    asked = {
        (aim.group, f"{aim.plural}/{aim.subresource}".rstrip("/"), aim.verb)
        for aim in aims
        if aim.plural
    }
    allowed = {
        (right.group, right.resource, verb)
        for right in (*OF_QUEUE, *OF_BACKUPS)
        for verb in right.verbs
    }
    assert asked == allowed


async def test_two_servers_of_which_one_leads(tmp_path: Path) -> None:
    gate = asyncio.Event()
    first = Server(tmp_path, collect=Collector(gate=gate), identity="first")
    second = Server(tmp_path, collect=Collector(), identity="second")
    async with quay(first) as port:
        async with first.running(port.proxy.url):
            await port.backup("whole")
            await port.until("whole", lambda one: phase(one) == "InProgress")
            async with second.running(port.proxy.url) as standby:
                await eventually(lambda: not standby.unsynced)
                gate.set()
                assert (await port.ended("whole"))["phase"] == "Completed"
            gate.clear()
            await port.backup("cut-off")
            await port.backup("next")
            await port.until("cut-off", lambda one: phase(one) == "InProgress")
        async with second.running(port.proxy.url):
            assert (await port.ended("cut-off"))["phase"] == "Failed"
            assert (await port.ended("next"))["phase"] == "Completed"
            assert port.files("cut-off") == []
