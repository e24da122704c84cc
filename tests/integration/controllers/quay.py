"""Backups on the embedded API, into a folder: what the tests of queue and backups stand on."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from kedge.aio.background import background
from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock, SystemClock
from kedge.api.crd import crds
from kedge.archive.item import Item, Place
from kedge.archive.writer import ArchiveWriter
from kedge.cli.operator.engine import acquaint
from kedge.client import Client, ClientSettings
from kedge.client.retry import Retrying
from kedge.client.where import explicit
from kedge.controllers.backup import controller as backup
from kedge.controllers.backup.running import Collect
from kedge.controllers.backup.settings import BackupSettings
from kedge.controllers.backup.telling import BackupNumbers
from kedge.controllers.queue import controller as queue
from kedge.engine.backup.run import BackupOutcome, BackupRun, Progress, Sink
from kedge.engine.journal import Journal
from kedge.engine.storage.open import Stores
from kedge.kube.kind import Object
from kedge.objects.open import Opener, Surroundings, open_bucket
from kedge.runtime import Manager, ManagerSettings, QueueSettings, WatchSettings
from kedge.runtime.leader import Leader
from kedge.runtime.leadersettings import LeaderSettings
from kedge.runtime.lease import ApiLeases, lease_client
from kedge.testing import Cluster, faults
from kedge.testing.client import Client as Admin
from tests.formats.checker import check_backup
from tests.integration.controllers.harbour import Events
from tests.integration.founded import founded

NAMESPACE = "velero"
HOME = f"/apis/velero.io/v1/namespaces/{NAMESPACE}"
BACKUPS = f"{HOME}/backups"
LOCATIONS = f"{HOME}/backupstoragelocations"
BUCKET = "bucket"
NEEDED = ("schedules", "backups", "backupstoragelocations", "volumesnapshotlocations")
QUICK = Backoff(first=0.02, most=0.2)
TERMINAL = ("Completed", "PartiallyFailed", "Failed", "FailedValidation")


@dataclass
class Collector:
    """Stands in for the engine: it collects what the test says, when the test says so."""

    items: int = 3
    errors: int = 0
    warnings: int = 0
    failure: Exception | None = None
    """What it fails with, after some bytes were sent."""
    gate: asyncio.Event | None = None
    """It waits for this in the middle."""
    progress: Progress = field(default_factory=Progress)
    """That of the last one that was begun."""
    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    async def __call__(
        self,
        client: Client,
        run: BackupRun,
        journal: Journal,
        sink: Sink,
        progress: Progress,
        clock: Clock,
    ) -> BackupOutcome:
        """Collect."""
        await run.begin()
        self.begun.append(run.name)
        self.progress = progress
        try:
            return await self._collect(run, journal, sink, progress)
        finally:
            self.ended.append(run.name)

    async def _collect(
        self, run: BackupRun, journal: Journal, sink: Sink, progress: Progress
    ) -> BackupOutcome:
        writer = ArchiveWriter(run.mtime)
        names = [f"config-{n}" for n in range(self.items)]
        progress.total, progress.done = self.items, 1
        await sink(_noise(writer))
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        for name in names:
            writer.add(Item(Place("configmaps", "default", name), "v1", _config(name)))
            await sink(writer.take())
        await sink(writer.finish())
        for n in range(self.errors):
            journal.error("can not be read", resource="secrets", name=f"s{n}", namespace="default")
        for n in range(self.warnings):
            journal.warning(f"warning {n}")
        journal.info("collected")
        listed = {"v1/ConfigMap": [f"default/{name}" for name in names]} if names else {}
        return BackupOutcome(
            self.items,
            listed,
            2,
            1 if self.errors else 0,
            size_bytes=writer.bytes_written,
            sha256=writer.sha256,
        )


def _noise(writer: ArchiveWriter) -> bytes:
    """Give the first bytes of an archive, though they are few."""
    return writer._pack()


def _config(name: str) -> bytes:
    meta = {"name": name, "namespace": "default"}
    return msgspec.json.encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})


@dataclass
class Server:
    """How the controllers run: what a test may want otherwise."""

    folder: Path
    limit: int = 1
    clock: Clock = field(default_factory=SystemClock)
    events: Events = field(default_factory=Events)
    opener: Opener = open_bucket
    numbers: BackupNumbers | None = None
    settings: BackupSettings = field(default_factory=lambda: BackupSettings(namespace=NAMESPACE))
    collect: Collect = field(default_factory=Collector)
    has_backups: bool = True
    """Whether what leaves the queue is run."""
    identity: str = ""
    """Who it is among several of which one leads; empty: it is alone."""

    @asynccontextmanager
    async def running(self, url: str) -> AsyncIterator[Manager]:
        """Run queue and backups against a URL while the block runs."""
        quick = ClientSettings(per_second=0, retrying=Retrying(attempts=2, backoff=QUICK))
        async with Client(explicit(url), quick, self.clock) as client, self._leader(url) as leader:
            if leader is not None:
                leader.protect(client)
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
                    leader,
                )
                line = queue.add_to(manager, client, queue.QueueSettings(self.limit, NAMESPACE))
                if self.has_backups:
                    made = backup.add_to(
                        manager, client, self.events, self.settings, stores, self.numbers
                    )
                    made.running.collect = self.collect
                    acquaint(line, made)
                async with background(manager.run()):
                    yield manager

    @asynccontextmanager
    async def _leader(self, url: str) -> AsyncIterator[Leader | None]:
        if not self.identity:
            yield None
            return
        settings = LeaderSettings("kedge", NAMESPACE, self.identity, 2, 1.3, 0.2)
        async with lease_client(explicit(url), settings, self.clock) as client:
            yield Leader(ApiLeases(client, settings), settings, self.clock)


@dataclass
class Quay:
    """A cluster, a proxy before it, and a folder for its backups."""

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
        """Run the controllers while the block runs."""
        return self.server.running(self.proxy.url)

    async def backup(self, name: str, metadata: Object | None = None, **spec: Any) -> Object:
        """Ask for a Backup."""
        return await self.admin.create(BACKUPS, manifest(name, metadata, spec))

    async def get(self, name: str) -> Object:
        """Read a Backup."""
        return await self.admin.get(f"{BACKUPS}/{name}")

    async def items(self) -> dict[str, Object]:
        """Read all Backups."""
        found = (await self.admin.get(BACKUPS))["items"]
        return {one["metadata"]["name"]: one for one in found}

    async def until(self, name: str, holds: Callable[[Object], bool]) -> Object:
        """Wait until something holds of a Backup."""
        return await self.admin.until(f"{BACKUPS}/{name}", holds)

    async def ended(self, name: str) -> Object:
        """Wait until a Backup has come to its end; give its status."""
        found = await self.until(name, lambda one: phase(one) in TERMINAL)
        status: Object = found["status"]
        return status

    async def set_status(self, path: str, status: Object) -> None:
        """Write a status in the way that this cluster takes it."""
        await write_status(self.admin, path, status)

    def files(self, name: str = "") -> list[str]:
        """Give the files in the bucket, or of one backup, below the folder of backups."""
        return files_in(self.server.folder, name)


def files_in(folder: Path, name: str = "") -> list[str]:
    """Give the files in the bucket of a folder, all or those of one backup.

    The log that a failed backup leaves for people to read is no part of a backup.
    """
    top = folder / BUCKET / "backups" / name
    found = [one for one in top.rglob("*") if one.is_file()]
    whole = {one.parent for one in found if not one.name.endswith("-logs.gz")}
    return sorted(str(one.relative_to(top)) for one in found if one.parent in whole)


def problems(folder: Path, name: str) -> list[str]:
    """Tell what is wrong with the files of a backup; it may be that there are none."""
    top = folder / BUCKET
    files = [one for one in (top / "backups" / name).rglob("*") if one.is_file()]
    return check_backup({str(one.relative_to(top)): one.read_bytes() for one in files})


def metadata(folder: Path, name: str) -> Object:
    """Read the Backup in the bucket."""
    path = folder / BUCKET / "backups" / name / "velero-backup.json"
    return msgspec.json.decode(path.read_bytes(), type=Object)


def saved(folder: Path, name: str) -> list[str]:
    """Give the ConfigMaps that are in a backup."""
    path = folder / BUCKET / "backups" / name / f"{name}-resource-list.json.gz"
    found: list[str] = json.loads(gzip.decompress(path.read_bytes())).get("v1/ConfigMap", [])
    return found


def phase(backup: Object) -> str:
    """Give the phase of a Backup."""
    return str(backup.get("status", {}).get("phase", ""))


@asynccontextmanager
async def phases(port: Quay) -> AsyncIterator[list[str]]:
    """Follow the phases of all Backups."""
    seen: list[str] = []
    version = (await port.admin.get(BACKUPS))["metadata"]["resourceVersion"]

    async def follow() -> None:
        async with aclosing(port.admin.watch(BACKUPS, resourceVersion=version)) as events:
            async for event in events:
                found = event.object
                new = f"{found['metadata']['name']} {phase(found)}"
                if not seen or seen[-1] != new:
                    seen.append(new)

    async with background(follow()):
        yield seen


def manifest(name: str, metadata: Object | None = None, spec: Object | None = None) -> Object:
    """Write a Backup."""
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {"name": name, "namespace": NAMESPACE, **(metadata or {})},
        "spec": {"includedNamespaces": ["default"], **(spec or {})},
    }


def location(name: str = "default", **spec: Any) -> Object:
    """Write a BackupStorageLocation of a folder."""
    return {
        "apiVersion": "velero.io/v1",
        "kind": "BackupStorageLocation",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "provider": "kedge.dev/filesystem",
            "objectStorage": {"bucket": BUCKET},
            "default": True,
            **spec,
        },
    }


async def write_status(client: Admin, path: str, status: Object) -> None:
    """Write a status, whether or not it is a subresource here."""
    for place in (path, f"{path}/status"):
        found = (await client.get(path)).get("status", {})
        if any(found.get(name) != value for name, value in status.items()):
            await client.patch(place, {"status": status})


async def prepare(client: Admin) -> None:
    """Make a location that can be used."""
    await client.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    await client.create(LOCATIONS, location())
    await write_status(client, f"{LOCATIONS}/default", {"phase": "Available"})


@asynccontextmanager
async def defined(kinds: Sequence[Object] | None = None) -> AsyncIterator[Cluster]:
    """Make a cluster with CRDs, by default ours, and nothing else."""
    needed = [crd for crd in kinds or crds() if crd["spec"]["names"]["plural"] in NEEDED]
    async with founded(needed) as kube:
        yield kube


@asynccontextmanager
async def quay(server: Server, kinds: Sequence[Object] | None = None) -> AsyncIterator[Quay]:
    """Make a cluster with a location, and a proxy before it."""
    async with defined(kinds) as kube, faults.proxy(kube) as proxy:
        await prepare(kube.client)
        yield Quay(kube, proxy, server)
