"""The way of a backup: cluster, engine, bucket, engine, another cluster."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kedge.aio.clock import SystemClock
from kedge.api.velero.backup import BackupSpec
from kedge.api.velero.restore import RestoreSpec
from kedge.archive import layout
from kedge.archive.contents import Contents, ContentsBuilder
from kedge.client import Client, ClientSettings
from kedge.client.where import explicit
from kedge.engine.backup.run import BackupOutcome, BackupRun, back_up
from kedge.engine.backup.run import Progress as BackupProgress
from kedge.engine.journal import Journal
from kedge.engine.restore.run import Progress, RestoreOutcome, RestoreRun, restore
from kedge.engine.restore.validate import complete
from kedge.objects.bucket import Bucket
from kedge.testing import Client as Looking
from kedge.testing import Cluster, cluster
from tests.real_cluster import Programs, RealCluster, Setup, running
from tests.real_cluster.cluster import CONTROLLERS

BACKUP, RESTORE = "journey", "journey-back"
NAMESPACE = "velero"
UNHURRIED = ClientSettings(per_second=0, answer_seconds=300, deadline_seconds=300)
CLOCK = SystemClock()


@dataclass(frozen=True)
class Port:
    """A cluster as seen by a test and by the engine."""

    looking: Looking
    client: Client
    is_embedded: bool


@dataclass
class Told:
    """What came of a run: its results, in words."""

    errors: dict[str, object] = field(default_factory=dict)
    warnings: dict[str, object] = field(default_factory=dict)


@asynccontextmanager
async def embedded() -> AsyncIterator[Port]:
    """Run the embedded server in this process."""
    async with cluster() as kube, engine_client(kube) as client:
        yield Port(kube.client, client, is_embedded=True)


@asynccontextmanager
async def real(programs: Programs, folder: Path) -> AsyncIterator[Port]:
    """Run a real server in an empty folder."""
    with running(programs, folder, Setup(controllers=CONTROLLERS)) as kube:
        token = kube.tokens["admin"]
        async with Looking(kube.url, token, kube.tls) as looking, engine_client(kube) as client:
            yield Port(looking, client, is_embedded=False)


def engine_client(kube: Cluster | RealCluster) -> Client:
    """Make a client as the engine uses it, for the administrator."""
    token = kube.token if isinstance(kube, Cluster) else kube.tokens["admin"]
    return Client(explicit(kube.url, token=token, ca=kube.ca), UNHURRIED)


async def outward(
    client: Client, bucket: Bucket, spec: BackupSpec | None = None
) -> tuple[BackupOutcome, Told]:
    """Back a cluster up into a bucket."""
    journal = Journal(CLOCK, {"backup": f"{NAMESPACE}/{BACKUP}"})
    chunks: asyncio.Queue[bytes | None] = asyncio.Queue(4)

    async def pieces() -> AsyncIterator[bytes]:
        while (chunk := await chunks.get()) is not None:
            yield chunk

    run = BackupRun(name=BACKUP, namespace=NAMESPACE, spec=spec or BackupSpec())
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(bucket.put(layout.backup_contents(BACKUP), pieces()))
            outcome = await back_up(client, run, journal, chunks.put, BackupProgress(), CLOCK)
            await chunks.put(None)
        return outcome, _told(journal)
    finally:
        journal.close()


@asynccontextmanager
async def unpacked(bucket: Bucket, name: str = BACKUP) -> AsyncIterator[Contents]:
    """Read a backup from a bucket."""
    with tempfile.TemporaryFile() as scratch:
        builder = ContentsBuilder(scratch)
        async with aclosing(bucket.read(layout.backup_contents(name))) as chunks:
            async for chunk in chunks:
                builder.feed(chunk)
        yield builder.finish()


async def back(
    client: Client, contents: Contents, spec: RestoreSpec | None = None, name: str = RESTORE
) -> tuple[RestoreOutcome, Told]:
    """Restore a backup into a cluster."""
    journal = Journal(CLOCK, {"restore": f"{NAMESPACE}/{name}"}, plain=True)
    spec = spec or RestoreSpec(backup_name=BACKUP)
    run = RestoreRun(
        name=name,
        namespace=NAMESPACE,
        backup_name=spec.backup_name,
        spec=complete(spec),
    )
    try:
        outcome = await restore(client, run, contents, journal, Progress(), CLOCK)
        return outcome, _told(journal)
    finally:
        journal.close()


def _told(journal: Journal) -> Told:
    results = journal.results()
    return Told(results["errors"], results["warnings"])
