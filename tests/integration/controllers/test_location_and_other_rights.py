"""The controllers around a bucket ask for what their rights say, and for nothing else."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.archive.files import gz_json
from kedge.controllers.deletion import controller as deletions
from kedge.controllers.deletion.controller import DeletionSettings
from kedge.controllers.deletion.metrics import DeletionMetrics
from kedge.controllers.deletion.rights import RIGHTS as DELETION_RIGHTS
from kedge.controllers.download import controller as downloads
from kedge.controllers.download.controller import DownloadSettings
from kedge.controllers.download.rights import RIGHTS as DOWNLOAD_RIGHTS
from kedge.controllers.gc import controller as gc
from kedge.controllers.gc.controller import GcSettings
from kedge.controllers.gc.rights import RIGHTS as GC_RIGHTS
from kedge.controllers.location import controller as locations
from kedge.controllers.location.controller import LocationSettings
from kedge.controllers.location.rights import RIGHTS as LOCATION_RIGHTS
from kedge.controllers.serverstatus import controller as statuses
from kedge.controllers.serverstatus.controller import ServerStatusSettings
from kedge.controllers.serverstatus.rights import RIGHTS as STATUS_RIGHTS
from kedge.controllers.sync import controller as sync
from kedge.controllers.sync.controller import SyncSettings
from kedge.controllers.sync.rights import RIGHTS as SYNC_RIGHTS
from kedge.kube.kind import Object
from kedge.kube.right import Right
from tests.integration.controllers.storehouse import (
    BACKUPS,
    DOWNLOADS,
    NAMESPACE,
    REQUESTS,
    RESTORES,
    SECRETS,
    STATUSES,
    VOLUMES,
    Adder,
    Storehouse,
    backup,
    deletion,
    keep,
    storehouse,
)
from tests.integration.controllers.test_sync_backups import found, volume
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

SECRET: dict[str, Any] = {"credential": {"name": "keys", "key": "cloud"}}
EXPIRED = {"phase": "Completed", "expiration": "2029-01-01T00:00:00Z"}


@dataclass(frozen=True)
class Life:
    """All that a controller can meet with."""

    add: Adder
    rights: Sequence[Right]
    meets: Callable[[Storehouse], Awaitable[None]]
    """Happens before it starts."""
    needs: tuple[str, ...]
    minutes: int = 0
    """It goes on for so long."""


def kind(name: str, named: str, spec: Object) -> Object:
    """Write an object of ours."""
    head = {"apiVersion": "velero.io/v1", "kind": name}
    return {**head, "metadata": {"name": named}, "spec": spec}


async def two_defaults(port: Storehouse) -> None:
    """Make two default locations, one with a Secret."""
    await port.kube.client.create(SECRETS, {"metadata": {"name": "keys"}, "data": {"cloud": ""}})
    await port.location("one", default=True, **SECRET)
    await port.location("two", default=True)


async def secured(port: Storehouse) -> None:
    """Make a location with a Secret, which can be used."""
    await port.kube.client.create(SECRETS, {"metadata": {"name": "keys"}, "data": {"cloud": ""}})
    await port.available(**SECRET)


async def full_bucket(port: Storehouse) -> None:
    """Fill a bucket; make a Backup that was begun, and one that has lost its files."""
    await secured(port)
    files = {"nightly-podvolumebackups.json.gz": gz_json([volume("one"), volume("two")])}
    owner = {"apiVersion": "velero.io/v1", "kind": "Schedule", "name": "gone", "uid": "x"}
    await keep(port.store(), found("nightly", ownerReferences=[owner]), files)
    await keep(port.store(), found("half"))
    await port.kube.client.create(VOLUMES, kind("PodVolumeBackup", "two", volume("x")["spec"]))
    mark, label = (
        {"kedge.dev/synced-from": "default/half"},
        {"velero.io/storage-location": "default"},
    )
    await port.kube.client.create(BACKUPS, backup("half", annotations=mark))
    await port.kube.client.create(BACKUPS, backup("lost", labels=label))
    await port.say(f"{BACKUPS}/lost", phase="Completed")


async def expired(port: Storehouse) -> None:
    """Make Backups whose time is over, one of them without a location."""
    await port.available()
    for name, where in (("one", "default"), ("two", "nowhere")):
        await port.kube.client.create(BACKUPS, backup(name, {"storageLocation": where}))
        await port.say(f"{BACKUPS}/{name}", **EXPIRED)


async def asked_to_go(port: Storehouse) -> None:
    """Make a Backup with a Restore, and the request to delete it."""
    await secured(port)
    await port.kube.client.create(BACKUPS, backup("nightly"))
    await keep(port.store(), await port.say(f"{BACKUPS}/nightly", phase="Completed"))
    await port.kube.client.create(RESTORES, kind("Restore", "r", {"backupName": "nightly"}))
    await port.kube.client.create(REQUESTS, deletion("go"))


async def asked_for_a_log(port: Storehouse) -> None:
    """Make a Restore of a Backup, and a request for its log."""
    await secured(port)
    await port.kube.client.create(BACKUPS, backup("nightly"))
    await port.kube.client.create(RESTORES, kind("Restore", "r", {"backupName": "nightly"}))
    target = {"target": {"kind": "RestoreLog", "name": "r"}}
    await port.kube.client.create(DOWNLOADS, kind("DownloadRequest", "get", target))


async def asked_who_it_is(port: Storehouse) -> None:
    """Make a request for the status of the server."""
    await port.kube.client.create(STATUSES, kind("ServerStatusRequest", "who", {}))


BUCKET = ("backups", "backupstoragelocations")
HOME = NAMESPACE
LIVES = {
    "location": Life(
        lambda p: locations.add_to(p.manager, p.client, p.events, LocationSettings(HOME), p.stores),
        LOCATION_RIGHTS,
        two_defaults,
        ("backupstoragelocations",),
    ),
    "sync": Life(
        lambda p: sync.add_to(p.manager, p.client, p.events, SyncSettings(HOME), p.stores),
        SYNC_RIGHTS,
        full_bucket,
        (*BUCKET, "podvolumebackups", "schedules"),
    ),
    "gc": Life(
        lambda p: gc.add_to(p.manager, p.client, p.events, GcSettings(HOME)),
        GC_RIGHTS,
        expired,
        (*BUCKET, "deletebackuprequests"),
    ),
    "deletion": Life(
        lambda p: deletions.add_to(
            p.manager, p.client, p.events, DeletionSettings(HOME), p.stores, DeletionMetrics()
        ),
        DELETION_RIGHTS,
        asked_to_go,
        (*BUCKET, "deletebackuprequests", "restores", "schedules"),
    ),
    "download": Life(
        lambda p: downloads.add_to(p.manager, p.client, p.events, DownloadSettings(HOME), p.stores),
        DOWNLOAD_RIGHTS,
        asked_for_a_log,
        (*BUCKET, "downloadrequests", "restores"),
        minutes=10,
    ),
    "serverstatus": Life(
        lambda p: statuses.add_to(p.manager, p.client, p.events, ServerStatusSettings("v1", HOME)),
        STATUS_RIGHTS,
        asked_who_it_is,
        ("serverstatusrequests",),
        minutes=1,
    ),
}


async def asked_by(life: Life, root: Path, kinds: list[Object]) -> set[tuple[str, str, str]]:
    """Give group, resource and verb of all that a controller asks for."""
    async with storehouse(root, life.needs, kinds) as port:
        await life.meets(port)
        async with port.working(life.add):
            await port.pass_time(minutes=life.minutes)
        asked = set()
        for call in port.proxy.calls:
            aim = call.request.aim
            if aim.plural:
                assert aim.namespace == NAMESPACE
                resource = f"{aim.plural}/{aim.subresource}" if aim.subresource else aim.plural
                asked.add((aim.group, resource, aim.verb))
        return asked


@pytest.mark.parametrize("name", LIVES)
async def test_all_rights_are_used_and_no_others_are_needed(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    life = LIVES[name]
    granted = {(one.group, one.resource, verb) for one in life.rights for verb in one.verbs}
    folder = tmp_path_factory.mktemp
    asked = await asked_by(life, folder("ours"), crds())
    asked |= await asked_by(life, folder("stock"), stock_crds())
    assert asked == granted
