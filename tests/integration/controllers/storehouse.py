"""Backups and where they are kept, in virtual time: what the controllers around a bucket need."""

from collections.abc import AsyncIterator, Callable, Container, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kedge.aio.background import background
from kedge.aio.clock import Clock
from kedge.api.crd import crds
from kedge.archive import layout
from kedge.archive.files import metadata_json
from kedge.client import Client, ClientSettings
from kedge.client.where import explicit
from kedge.engine.storage.open import Stores
from kedge.engine.storage.store import BackupStore
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from kedge.objects.open import Opener, Surroundings, open_bucket
from kedge.objects.place import Place
from kedge.runtime import Manager, ManagerSettings, QueueSettings, WatchSettings
from kedge.testing import Client as Admin
from kedge.testing import Cluster, FakeClock, faults
from tests.integration.controllers.harbour import QUICK, YEARS, Events, Harbour
from tests.integration.founded import founded

NAMESPACE = "velero"
GROUP = f"/apis/velero.io/v1/namespaces/{NAMESPACE}"
LOCATIONS = f"{GROUP}/backupstoragelocations"
BACKUPS = f"{GROUP}/backups"
RESTORES = f"{GROUP}/restores"
SCHEDULES = f"{GROUP}/schedules"
REQUESTS = f"{GROUP}/deletebackuprequests"
DOWNLOADS = f"{GROUP}/downloadrequests"
STATUSES = f"{GROUP}/serverstatusrequests"
VOLUMES = f"{GROUP}/podvolumebackups"
SECRETS = f"/api/v1/namespaces/{NAMESPACE}/secrets"
URL = "http://downloads.test"
FILESYSTEM = "kedge.dev/filesystem"


@dataclass(frozen=True)
class Parts:
    """What a controller is added with."""

    manager: Manager
    client: Client
    events: Events
    stores: Stores


Adder = Callable[[Parts], object]


@dataclass
class Storehouse(Harbour):
    """A cluster with our kinds, whose time the test moves; controllers are behind a proxy."""

    root: Path = Path()
    opener: Opener = open_bucket
    managers: list[Manager] = field(default_factory=list)

    async def location(self, name: str = "default", **spec: Any) -> Object:
        """Create a location, by default a folder."""
        return await self.kube.client.create(LOCATIONS, location(name, **spec))

    async def available(self, name: str = "default", **spec: Any) -> Object:
        """Create a location that was seen to be of use."""
        await self.location(name, **spec)
        return await self.say(f"{LOCATIONS}/{name}", phase="Available")

    async def say(self, path: str, **status: Any) -> Object:
        """Write a status, in the way that this cluster takes it."""
        return await write_status(self.kube.client, path, status)

    async def read(self, path: str) -> Object | None:
        """Read an object; None if there is none."""
        with suppress(NotFound):
            return await self.kube.client.get(path)
        return None

    async def names(self, path: str) -> list[str]:
        """Give the names of all objects of a collection."""
        found = (await self.kube.client.get(path))["items"]
        return sorted(one["metadata"]["name"] for one in found)

    def store(self, bucket: str = "boats") -> BackupStore:
        """Open the store of a bucket, beside the controllers."""
        return store_in(self.root, bucket)

    @asynccontextmanager
    async def working(self, *adders: Adder) -> AsyncIterator[Parts]:
        """Run controllers while the block runs."""
        async with working(
            self.proxy.url, self.clock, self.events, self.root, adders, self.opener
        ) as parts:
            self.managers.append(parts.manager)
            await self.quiet()
            yield parts
            await self.quiet()
            self.managers.remove(parts.manager)

    async def quiet(self) -> None:
        """Wait until the controllers ask for nothing more, and have nothing in hand."""
        await super().quiet()
        while any(is_busy(manager) for manager in self.managers):
            await super().quiet()


def is_busy(manager: Manager) -> bool:
    """Tell whether a controller has something in hand: to read a file asks the API for nothing."""
    queues = [controller.queue for controller in manager._controllers]
    return any(len(queue) or queue.processing for queue in queues)


def location(name: str = "default", **spec: Any) -> Object:
    """Write a location, by default one in a folder."""
    defaults = {"provider": FILESYSTEM, "objectStorage": {"bucket": "boats"}}
    return {
        "apiVersion": "velero.io/v1",
        "kind": "BackupStorageLocation",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {**defaults, **spec},
    }


def backup(name: str, spec: Object | None = None, **metadata: Any) -> Object:
    """Write a Backup."""
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {"name": name, "namespace": NAMESPACE, **metadata},
        "spec": {"storageLocation": "default", **(spec or {})},
    }


def deletion(name: str, of: str = "nightly", **metadata: Any) -> Object:
    """Write a request to delete a Backup."""
    return {
        "apiVersion": "velero.io/v1",
        "kind": "DeleteBackupRequest",
        "metadata": {"name": name, **metadata},
        "spec": {"backupName": of},
    }


async def write_status(client: Admin, path: str, status: Object) -> Object:
    """Write a status, in the way that this cluster takes it."""
    with suppress(NotFound):  # there is no subresource: what was written before counts
        await client.patch(path, {"status": status})
        await client.patch(f"{path}/status", {"status": status})
    return await client.get(path)


def store_in(root: Path, bucket: str = "boats") -> BackupStore:
    """Open the store of a bucket that is a folder."""
    place = Place(FILESYSTEM, bucket)
    return BackupStore(open_bucket(place, Surroundings(root, URL)))


async def keep(store: BackupStore, obj: Object, files: dict[str, bytes] | None = None) -> None:
    """Put a backup into a store: its files, and last its metadata."""
    name = obj["metadata"]["name"]
    await store.put_file(layout.backup_contents(name), b"not looked at")
    for key, data in (files or {}).items():
        await store.put_file(layout.backup_folder(name) + key, data)
    await store.put_file(layout.backup_metadata(name), metadata_json(obj))


@asynccontextmanager
async def working(
    url: str,
    clock: Clock,
    events: Events,
    root: Path,
    adders: Sequence[Adder],
    opener: Opener = open_bucket,
) -> AsyncIterator[Parts]:
    """Run controllers against a URL while the block runs."""
    async with Client(explicit(url), ClientSettings(per_second=0), clock) as client:
        watch = WatchSettings(backoff=QUICK, silence_seconds=YEARS)
        manager = Manager(client, ManagerSettings(watch=watch, queue=QueueSettings(QUICK)), clock)
        async with Stores(client, Surroundings(root, URL), NAMESPACE, opener) as stores:
            parts = Parts(manager, client, events, stores)
            for add in adders:
                add(parts)
            async with background(manager.run()):
                yield parts


@asynccontextmanager
async def furnished(
    clock: Clock, needs: Container[str], kinds: Sequence[Object] | None = None
) -> AsyncIterator[Cluster]:
    """Make a cluster with the CRDs that are needed, by default ours."""
    needed = [crd for crd in kinds or crds() if crd["spec"]["names"]["plural"] in needs]
    async with founded(needed, NAMESPACE, clock=clock) as kube:
        yield kube


@asynccontextmanager
async def storehouse(
    root: Path,
    needs: Container[str],
    kinds: Sequence[Object] | None = None,
    opener: Opener = open_bucket,
) -> AsyncIterator[Storehouse]:
    """Make a cluster with the CRDs that are needed, by default ours, and a proxy in front of it."""
    clock = FakeClock()
    async with furnished(clock, needs, kinds) as kube, faults.proxy(kube) as proxy:
        yield Storehouse(kube, clock, proxy, root=root, opener=opener)


def status_of(obj: Object | None) -> dict[str, Any]:
    """Give the status of an object."""
    found: dict[str, Any] = (obj or {}).get("status", {})
    return found
