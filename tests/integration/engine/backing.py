"""Backs up a cluster of the test's own, and reads the archive with the standard library."""

import io
import tarfile
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from kedge.aio.clock import SystemClock
from kedge.api.velero.backup import BackupSpec
from kedge.client import Client, ClientSettings
from kedge.client.exec import Result
from kedge.client.requests import Request
from kedge.client.responses import Response
from kedge.client.where import Access, explicit
from kedge.engine.backup.policies import read_policies
from kedge.engine.backup.run import BackupOutcome, BackupRun, Progress, back_up
from kedge.engine.journal import Journal
from kedge.kube.kind import Kind, Object, plain
from kedge.testing import Cluster, cluster

NAMESPACES = plain("v1", "Namespace", "namespaces", namespaced=False)
CONFIGS = plain("v1", "ConfigMap", "configmaps")
PODS = plain("v1", "Pod", "pods")
CLAIMS = plain("v1", "PersistentVolumeClaim", "persistentvolumeclaims")
VOLUMES = plain("v1", "PersistentVolume", "persistentvolumes", namespaced=False)
ACCOUNTS = plain("v1", "ServiceAccount", "serviceaccounts")
RBAC = "rbac.authorization.k8s.io/v1"
ROLES = plain(RBAC, "ClusterRole", "clusterroles", namespaced=False)
BINDINGS = plain(RBAC, "ClusterRoleBinding", "clusterrolebindings", namespaced=False)
PRIORITIES = plain("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", namespaced=False)

Change = Callable[[Request], Response | None]


class Meddling(Client):
    """A client some of whose requests the test answers itself, and whose commands it runs."""

    def __init__(self, access: Access, settings: ClientSettings) -> None:
        super().__init__(access, settings)
        self.change: Change = lambda _: None
        self.asked: list[str] = []
        self.ran: list[str] = []
        self.code = 0

    async def send(self, request: Request) -> Response:
        self.asked.append(request.path)
        return self.change(request) or await super().send(request)

    async def exec(self, name: str, namespace: str, command: Sequence[str], **_: Any) -> Result:
        self.ran.append(f"{namespace}/{name}: {' '.join(command)}")
        return Result(self.code if command[0] == "bad" else 0, b"", b"")


@dataclass
class Made:
    """A backup that was made."""

    outcome: BackupOutcome
    archive: bytes
    journal: Journal
    progress: Progress
    names: list[str] = field(default_factory=list)
    """Of the members, in order."""
    files: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with tarfile.open(fileobj=io.BytesIO(self.archive)) as tar:
            for member in tar:
                file = tar.extractfile(member)
                assert file is not None
                self.names.append(member.name)
                self.files[member.name] = file.read()

    @property
    def items(self) -> dict[str, Object]:
        """The objects by `resource/namespace/name`, from the paths without a version."""
        return {
            f"{parts[1]}/{'/'.join(parts[3:])}".removesuffix(".json"): msgspec.json.decode(data)
            for name, data in self.files.items()
            if (parts := name.split("/"))[0] == "resources"
            and parts[2] in ("cluster", "namespaces")
        }

    @property
    def resources(self) -> set[str]:
        """The resources of which there is an object."""
        return {name.split("/")[0] for name in self.items}

    @property
    def errors(self) -> str:
        """All errors, as one text."""
        return str(self.journal.results()["errors"])

    @property
    def warnings(self) -> str:
        """All warnings, as one text."""
        return str(self.journal.results()["warnings"])

    @property
    def log(self) -> str:
        """The log."""
        return zlib.decompress(self.journal.log(), 31).decode()


async def at_once() -> None:
    """Begin."""


async def made_by(
    kube: Client,
    page_size: int = 500,
    begin: Callable[[], Awaitable[None]] = at_once,
    policy: str = "",
    *,
    runs_hooks: bool = True,
    **spec: object,
) -> Made:
    """Make a backup with a client; the policy is what is in its ConfigMap after the version."""
    chunks: list[bytes] = []

    async def sink(chunk: bytes) -> None:
        chunks.append(chunk)

    clock, progress = SystemClock(), Progress()
    journal = Journal(clock, {"backup": "velero/b"})
    run = BackupRun(
        name="b",
        namespace="velero",
        spec=msgspec.convert(spec, BackupSpec),
        page_size=page_size,
        mtime=1_700_000_000,
        begin=begin,
        runs_hooks=runs_hooks,
        policies=read_policies({"data": {"p": f"version: v1\n{policy}"}}) if policy else None,
    )
    outcome = await back_up(kube, run, journal, sink, progress, clock)
    return Made(outcome, b"".join(chunks), journal, progress)


@dataclass(frozen=True)
class Harbour:
    """A cluster, and a client that backs it up."""

    cluster: Cluster
    kube: Meddling

    async def back_up(
        self, page_size: int = 500, policy: str = "", *, runs_hooks: bool = True, **spec: object
    ) -> Made:
        """Make a backup."""
        made = made_by(self.kube, page_size, at_once, policy, runs_hooks=runs_hooks, **spec)
        return await made

    async def namespace(self, name: str, **labels: str) -> str:
        """Make a namespace."""
        await self.kube.create(NAMESPACES, {"metadata": {"name": name, "labels": labels}})
        return name

    async def make(
        self, kind: Kind[Object], name: str, namespace: str | None = None, **rest: Any
    ) -> Object:
        """Make an object; `labels` and `annotations` go into its metadata."""
        meta = {
            key: rest.pop(key) for key in ("labels", "annotations", "finalizers") if key in rest
        }
        return await self.kube.create(kind, {"metadata": {"name": name, **meta}, **rest}, namespace)


@asynccontextmanager
async def harbour() -> AsyncIterator[Harbour]:
    """Run a cluster while the block runs."""
    async with cluster() as made:
        access = explicit(made.url, ca=made.ca, token=made.token)
        async with Meddling(access, ClientSettings(per_second=0)) as kube:
            yield Harbour(made, kube)


def pod(*claims: str, **spec: object) -> Object:
    """Write the spec of a pod."""
    volumes = [
        {"name": f"v{at}", "persistentVolumeClaim": {"claimName": name}}
        for at, name in enumerate(claims)
    ]
    return {"containers": [{"name": "main", "image": "x"}], "volumes": volumes, **spec}


CLAIM: Object = {
    "accessModes": ["ReadWriteOnce"],
    "resources": {"requests": {"storage": "1Gi"}},
}
VOLUME: Object = {
    "accessModes": ["ReadWriteOnce"],
    "capacity": {"storage": "1Gi"},
    "hostPath": {"path": "/data"},
}
