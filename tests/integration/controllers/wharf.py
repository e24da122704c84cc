"""Restores on the embedded API, from a folder: what the tests of restores stand on."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kedge.aio.background import background
from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock, SystemClock
from kedge.api.crd import crds
from kedge.archive.contents import Contents
from kedge.archive.item import Item, Place
from kedge.archive.writer import ArchiveWriter
from kedge.client import Client, ClientSettings
from kedge.client.retry import Retrying
from kedge.client.where import explicit
from kedge.controllers.restore import controller
from kedge.controllers.restore.metrics import RestoreMetrics
from kedge.controllers.restore.settings import RestoreSettings
from kedge.engine.journal import Journal
from kedge.engine.restore.run import Progress, RestoreOutcome, RestoreRun
from kedge.engine.storage.open import Stores
from kedge.kube.errors import AlreadyExists
from kedge.kube.kind import Object, plain
from kedge.objects.open import Opener, Surroundings, open_bucket
from kedge.runtime import Manager, ManagerSettings, QueueSettings, WatchSettings
from kedge.testing import Cluster, faults
from kedge.testing.client import Client as Admin
from tests.integration.controllers.harbour import Events
from tests.integration.eventually import eventually, pause
from tests.integration.founded import founded

NAMESPACE = "velero"
HOME = f"/apis/velero.io/v1/namespaces/{NAMESPACE}"
RESTORES = f"{HOME}/restores"
BACKUPS = f"{HOME}/backups"
LOCATIONS = f"{HOME}/backupstoragelocations"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
FINALIZER = "restores.velero.io/external-resources-finalizer"
BUCKET = "bucket"
NEEDED = ("restores", "backups", "backupstoragelocations", "schedules")
QUICK = Backoff(first=0.02, most=0.2)
TERMINAL = ("Completed", "PartiallyFailed", "Failed", "FailedValidation")
CONFIG = plain("v1", "ConfigMap", "configmaps")


@dataclass
class Engine:
    """Brings ConfigMaps back, and nothing else; a test can hold it up."""

    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    running: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=list)
    most: int = 0
    runs: list[RestoreRun] = field(default_factory=list)
    error: Exception | None = None
    warns: int = 0

    async def restore(
        self,
        client: Client,
        run: RestoreRun,
        contents: Contents,
        journal: Journal,
        progress: Progress,
        clock: Clock,
    ) -> RestoreOutcome:
        """Bring back."""
        self.runs.append(run)
        self.running.add(run.name)
        self.order.append(run.name)
        self.most = max(self.most, len(self.running))
        for text in contents.warnings:
            journal.warning(text)
        for text in contents.refused:
            journal.error(text)
        try:
            listed = []
            progress.total = contents.count("configmaps")
            for item in contents.items("configmaps"):
                listed.append(await self._bring(client, run, item, journal))
                progress.done += 1
            await self.go_on.wait()
            if self.error is not None:
                raise self.error
            for number in range(self.warns):
                journal.warning(f"warning {number}", namespace="default")
            return RestoreOutcome(len(listed), {"v1/ConfigMap": listed})
        finally:
            self.running.discard(run.name)

    async def _bring(self, client: Client, run: RestoreRun, item: Item, journal: Journal) -> str:
        obj = json.loads(item.data)
        where = f"{item.place.namespace}/{item.place.name}"
        obj["metadata"]["labels"] = {"velero.io/restore-name": run.name}
        try:
            await client.create(CONFIG, obj, item.place.namespace)
        except AlreadyExists:
            journal.info("it is there", namespace=item.place.namespace)
            return f"{where}(skipped)"
        return f"{where}(created)"


def free() -> Engine:
    """Make an engine that nothing holds up."""
    engine = Engine()
    engine.go_on.set()
    return engine


@dataclass
class Server:
    """How the controller runs: what a test may want otherwise."""

    folder: Path
    engine: Engine | None = field(default_factory=free)
    """None: the real one."""
    clock: Clock = field(default_factory=SystemClock)
    events: Events = field(default_factory=Events)
    opener: Opener = open_bucket
    metrics: RestoreMetrics = field(default_factory=RestoreMetrics)
    settings: RestoreSettings = field(
        default_factory=lambda: RestoreSettings(namespace=NAMESPACE, store_seconds=0.1)
    )

    @asynccontextmanager
    async def running(self, url: str) -> AsyncIterator[Manager]:
        """Run the controller against a URL while the block runs."""
        quick = ClientSettings(per_second=0, retrying=Retrying(attempts=2, backoff=QUICK))
        async with Client(explicit(url), quick, self.clock) as client:
            surroundings = Surroundings(self.folder)
            async with Stores(client, surroundings, NAMESPACE, self.opener) as stores:
                manager = Manager(
                    client,
                    ManagerSettings(
                        stop_seconds=0,
                        watch=WatchSettings(backoff=QUICK, silence_seconds=1e9),
                        queue=QueueSettings(QUICK),
                    ),
                    self.clock,
                )
                made = controller.add_to(
                    manager, client, self.events, self.settings, stores, self.metrics
                )
                if self.engine is not None:
                    made.running.restore = self.engine.restore
                async with background(manager.run()):
                    yield manager


@dataclass
class Wharf:
    """A cluster, a proxy before it, and a folder with backups."""

    kube: Cluster
    proxy: faults.Proxy
    server: Server

    @property
    def admin(self) -> Admin:
        """A client with all rights, not through the proxy."""
        return self.kube.client

    @property
    def events(self) -> Events:
        """What was told."""
        return self.server.events

    def running(self) -> Any:
        """Run the controller while the block runs."""
        return self.server.running(self.proxy.url)

    async def restore(self, name: str, metadata: Object | None = None, **spec: Any) -> Object:
        """Ask for a Restore."""
        return await self.admin.create(RESTORES, manifest(name, metadata, spec))

    async def get(self, name: str) -> Object:
        """Read a Restore."""
        return await self.admin.get(f"{RESTORES}/{name}")

    async def until(self, name: str, holds: Callable[[Object], bool]) -> Object:
        """Wait until something holds of a Restore."""
        return await self.admin.until(f"{RESTORES}/{name}", holds)

    async def ended(self, name: str) -> Object:
        """Wait until a Restore has come to its end; give it."""
        return await self.until(name, lambda one: phase(one) in TERMINAL)

    async def told(self, *reasons: str) -> None:
        """Wait until just this was told in Events."""
        await eventually(lambda: self.events.reasons == list(reasons))

    async def delete(self, name: str) -> None:
        """Delete a Restore, and wait until it is gone."""
        await self.admin.delete(f"{RESTORES}/{name}")
        async with asyncio.timeout(20):
            while name in await self.names():
                await pause(0.01)

    async def names(self, path: str = RESTORES) -> list[str]:
        """Give the names of all objects of a collection."""
        return [one["metadata"]["name"] for one in (await self.admin.get(path))["items"]]

    def files(self, name: str) -> dict[str, bytes]:
        """Give the files of a restore in the bucket."""
        return files_of(self.server.folder, name)

    def unpacked(self, name: str, file: str) -> Any:
        """Give what a gzip JSON file of a restore holds."""
        return json.loads(gzip.decompress(self.files(name)[file]))


def files_of(folder: Path, name: str) -> dict[str, bytes]:
    """Give the files of a restore in a folder."""
    top = folder / BUCKET / "restores" / name
    return {one.name: one.read_bytes() for one in sorted(top.rglob("*")) if one.is_file()}


def phase(restore: Object) -> str:
    """Give the phase of a Restore."""
    return str(restore.get("status", {}).get("phase", ""))


def manifest(name: str, metadata: Object | None = None, spec: Object | None = None) -> Object:
    """Write a Restore."""
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Restore",
        "metadata": {"name": name, "namespace": NAMESPACE, **(metadata or {})},
        "spec": spec if spec is not None else {"backupName": "b"},
    }


def config(name: str, namespace: str = "default", **data: str) -> Item:
    """Make a ConfigMap as a backup has it."""
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": data,
    }
    return Item(Place("configmaps", namespace, name), "v1", json.dumps(obj).encode())


def store_backup(folder: Path, name: str, items: Iterable[Item]) -> Path:
    """Put the archive of a backup into the bucket."""
    writer = ArchiveWriter(0)
    for item in items:
        writer.add(item)
    path = folder / BUCKET / "backups" / name / f"{name}.tar.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(writer.take() + writer.finish())
    return path


async def write_status(client: Admin, path: str, status: Object) -> None:
    """Write a status, whether or not it is a subresource here."""
    for place in (path, f"{path}/status"):
        found = (await client.get(path)).get("status", {})
        if any(found.get(name) != value for name, value in status.items()):
            await client.patch(place, {"status": status})


async def make_backup(
    client: Admin, name: str, status: Object | None = None, **metadata: Any
) -> None:
    """Make a Backup that has come to its end."""
    made = {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {"name": name, **metadata},
        "spec": {"storageLocation": "default"},
    }
    await client.create(BACKUPS, made)
    await write_status(client, f"{BACKUPS}/{name}", {"phase": "Completed", **(status or {})})


async def prepare(client: Admin) -> None:
    """Make a location that can be used, and a Backup."""
    await client.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    location = {
        "apiVersion": "velero.io/v1",
        "kind": "BackupStorageLocation",
        "metadata": {"name": "default"},
        "spec": {"provider": "kedge.dev/filesystem", "objectStorage": {"bucket": BUCKET}},
    }
    await client.create(LOCATIONS, location)
    await write_status(client, f"{LOCATIONS}/default", {"phase": "Available"})
    await make_backup(client, "b")


@asynccontextmanager
async def defined(kinds: Sequence[Object] | None = None) -> AsyncIterator[Cluster]:
    """Make a cluster with CRDs, by default ours, and nothing else."""
    needed = [crd for crd in kinds or crds() if crd["spec"]["names"]["plural"] in NEEDED]
    async with founded(needed) as kube:
        yield kube


@asynccontextmanager
async def wharf(server: Server, kinds: Sequence[Object] | None = None) -> AsyncIterator[Wharf]:
    """Make a cluster with a location and a Backup, and a proxy before it."""
    if not (server.folder / BUCKET / "backups" / "b").exists():
        store_backup(server.folder, "b", [config("one", a="b"), config("two", c="d")])
    async with defined(kinds) as kube, faults.proxy(kube) as proxy:
        await prepare(kube.client)
        yield Wharf(kube, proxy, server)
