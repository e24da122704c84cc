"""NonAdminBackups with the engine of our own: in line, running, done."""

import asyncio
from pathlib import Path

import pytest

from kedge.api.crd import crds
from kedge.controllers.nab.wiring import NabSettings
from kedge.kube.kind import Object
from tests.integration.controllers.harbour import Events
from tests.integration.controllers.quay import Collector, Quay, Server, quay
from tests.integration.eventually import PAUSE, pause
from tests.integration.selfservice.pilot import (
    HOME,
    NEEDED,
    PATIENCE_SECONDS,
    TENANT,
    conditions,
    controlling,
    is_phase,
    manifest,
    nabs,
    position,
    status,
)

pytestmark = pytest.mark.asyncio

NAMES = ("n0", "n1", "n2")


async def furnish(port: Quay) -> None:
    there = {"backups", "backupstoragelocations"}
    for crd in crds():
        if crd["spec"]["names"]["plural"] in set(NEEDED) - there:
            await port.kube.define(crd)
    await port.admin.create("/api/v1/namespaces", {"metadata": {"name": TENANT}})


async def settled(port: Quay, wanted: list[tuple[str, int]]) -> list[Object]:
    """Wait until the phases of the Velero Backups and the positions are as wanted."""
    seen: list[tuple[str, int | None]] = []
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                found: list[Object] = (await port.admin.get(nabs()))["items"]
                seen = [(phase_of(one), position(one)) for one in found]
                if seen == wanted:
                    return found
                await pause(PAUSE)
    except TimeoutError:
        raise AssertionError(f"it stays at {seen}") from None


def phase_of(one: Object) -> str:
    return str(status(one).get("veleroBackup", {}).get("status", {}).get("phase", ""))


async def test_they_wait_run_and_end_as_the_engine_says(tmp_path: Path) -> None:
    gate = asyncio.Event()
    server = Server(tmp_path, collect=Collector(gate=gate))
    async with quay(server) as port:
        await furnish(port)
        settings = NabSettings(HOME, workers=1)
        async with (
            port.running(),
            controlling(port.proxy.url, server.clock, Events(), settings),
        ):
            for name in NAMES:
                await port.admin.create(nabs(), manifest(name))
                await port.admin.until(f"{nabs()}/{name}", is_phase("Created"))
            await settled(port, [("InProgress", 1), ("Queued", 2), ("Queued", 3)])
            gate.set()
            found = await settled(port, [("Completed", 0)] * 3)
            for one in found:
                assert "Succeeded=True/BackupCompleted" in conditions(one)
                copied = status(one)["veleroBackup"]["status"]
                backup = await port.get(status(one)["veleroBackup"]["name"])
                assert copied == backup["status"]
                assert backup["spec"]["includedNamespaces"] == [TENANT]
