"""A ServerStatusRequest hears who the server is, and is gone a minute later."""

from pathlib import Path

import pytest

from kedge.api.crd import crds
from kedge.controllers.serverstatus import controller
from kedge.controllers.serverstatus.controller import ServerStatusSettings
from kedge.kube.kind import Object
from tests.integration.controllers.storehouse import STATUSES, Parts, status_of, storehouse
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

NEEDS = ("serverstatusrequests",)
KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}


def add(parts: Parts) -> None:
    """Add the controller."""
    settings = ServerStatusSettings("v1.2.3")
    controller.add_to(parts.manager, parts.client, parts.events, settings)


def request(name: str) -> Object:
    """Write a request."""
    kind = {"apiVersion": "velero.io/v1", "kind": "ServerStatusRequest"}
    return {**kind, "metadata": {"name": name}, "spec": {}}


@pytest.mark.parametrize("kinds", KINDS)
async def test_it_is_answered_at_once_and_removed_after_a_minute(
    kinds: str, tmp_path: Path
) -> None:
    async with storehouse(tmp_path, NEEDS, KINDS[kinds]()) as port, port.working(add):
        await port.kube.client.create(STATUSES, request("who"))
        await port.quiet()
        status = status_of(await port.read(f"{STATUSES}/who"))
        plugins = {(one["name"], one["kind"]) for one in status.pop("plugins")}
        assert status == {
            "phase": "Processed",
            "processedTimestamp": "2030-01-01T00:00:00Z",
            "serverVersion": "v1.2.3",
        }
        assert ("velero.io/aws", "ObjectStore") in plugins
        assert ("kedge.dev/filesystem", "ObjectStore") in plugins
        assert ("velero.io/pod", "BackupItemAction") in plugins
        assert ("velero.io/service", "RestoreItemAction") in plugins
        await port.pass_time(seconds=59)
        assert await port.names(STATUSES) == ["who"]
        await port.pass_time(seconds=1)
        assert await port.names(STATUSES) == []
        assert len(port.writes()) == 2


async def test_one_of_an_earlier_life_is_removed_on_time(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        for name, when in (("old", "2029-01-01T00:00:00Z"), ("fresh", "2030-01-01T00:00:00Z")):
            await port.kube.client.create(STATUSES, request(name))
            await port.say(f"{STATUSES}/{name}", phase="Processed", processedTimestamp=when)
        await port.kube.client.create(STATUSES, request("timeless"))
        await port.say(f"{STATUSES}/timeless", phase="Processed")
        async with port.working(add):
            await port.quiet()
            assert await port.names(STATUSES) == ["fresh", "timeless"]
            await port.pass_time(minutes=1)
            assert await port.names(STATUSES) == []
