"""Self-service of ours with the original as its engine, and a tenant who uses it."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import obstore

from kedge.cli.install.tenants import EDIT, tenant_roles
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from kedge.selfservice.policy import POLICY_NAME
from kedge.testing.client import Client
from tests.integration.eventually import pause
from tests.real_cluster import Programs
from tests.velero.kedge_server import add_kinds, kedge_server
from tests.velero.programs import VeleroPrograms
from tests.velero.s3 import S3Server
from tests.velero.server import NAMESPACE, Velero, available, location, velero_server
from tests.velero.stage import SECONDS, Stage, staged

SHOP = "shop"
ADMINS, OWN = "admins", "own"
"""Buckets: the administrator's, and the tenant's."""
ENGINE = (
    *("backup", "backup-deletion", "backup-queue", "backup-storage-location", "backup-sync"),
    *("download-request", "gc", "restore", "schedule", "server-status-request"),
)
"""The controllers whose work is the original's here."""
SYNC_PERIOD = "--backup-sync-period=2s"
POLICY = {
    "requireApprovalForBSL": "true",
    "backupSyncPeriod": "5s",
    "garbageCollectionPeriod": "10s",
}
NAB, NAR = "NonAdminBackup", "NonAdminRestore"
NABSL, NADR = "NonAdminBackupStorageLocation", "NonAdminDownloadRequest"
GROUP = "oadp.openshift.io/v1alpha1"
VELERO = f"/apis/velero.io/v1/namespaces/{NAMESPACE}"
CONFIG_MAPS = f"/api/v1/namespaces/{SHOP}/configmaps"


@dataclass
class Engine:
    """The original's server, which can be stopped and started."""

    velero: Velero
    _running: ExitStack = field(default_factory=ExitStack)

    def start(self) -> None:
        """Start it; raises child.Died."""
        self._running.enter_context(velero_server(self.velero, SYNC_PERIOD))

    def stop(self) -> None:
        """End it at once, whatever it is doing."""
        self._running.close()


@dataclass(frozen=True)
class Beside:
    """A cluster in which both run: `admin` may do all, `tenant` has the shipped role."""

    stage: Stage
    tenant: Client
    engine: Engine

    @property
    def admin(self) -> Client:
        """Give the client that may do all."""
        return self.stage.scene.client

    async def make(self, kind: str, name: str, spec: Object) -> Object:
        """Ask for something as the tenant."""
        made = {"apiVersion": GROUP, "kind": kind, "metadata": {"name": name}, "spec": spec}
        return await self.tenant.create(of_tenant(kind), made)

    async def backup(self, name: str, **spec: Any) -> Object:
        """Ask for a backup."""
        return await self.make(NAB, name, {"backupSpec": spec})

    async def saved(self, name: str, **spec: Any) -> str:
        """Have a backup made; give the name of the Velero Backup."""
        await self.backup(name, **spec)
        nab = await self.ended(NAB, name)
        assert copied(nab)["phase"] == "Completed"
        return str(nab["status"]["veleroBackup"]["name"])

    async def locate(self, name: str, keys: str, config: dict[str, str]) -> None:
        """Ask for a bucket of the tenant's own, with a Secret of the same name."""
        data = {"cloud": base64.b64encode(keys.encode()).decode()}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data}
        await self.tenant.create(f"/api/v1/namespaces/{SHOP}/secrets", secret)
        spec = {
            "provider": "aws",
            "objectStorage": {"bucket": OWN},
            "config": config,
            "credential": {"name": name, "key": "cloud"},
            "backupSyncPeriod": "1s",
        }
        await self.make(NABSL, name, {"backupStorageLocationSpec": spec})

    async def until(self, kind: str, name: str, holds: Callable[[Object], bool]) -> Object:
        """Wait until something holds of an object of the tenant's."""
        return await self.tenant.until(of_tenant(kind, name), holds, SECONDS)

    async def all_until(
        self,
        kind: str,
        names: Sequence[str],
        holds: Callable[[list[Object]], bool],
        by: Callable[[Object], tuple[int, ...]],
    ) -> list[Object]:
        """Wait until something holds of several objects in an order; give them in it."""
        async with asyncio.timeout(SECONDS):
            while True:
                items = (await self.tenant.get(of_tenant(kind)))["items"]
                found = sorted((one for one in items if one["metadata"]["name"] in names), key=by)
                if holds(found):
                    return found
                await pause(0.1)

    async def ended(self, kind: str, name: str) -> Object:
        """Wait until it is said that something has succeeded or failed."""
        return await self.until(kind, name, has_ended)

    async def set(self, name: str, **spec: Any) -> None:
        """Change the spec of a NonAdminBackup."""
        await self.tenant.patch(of_tenant(NAB, name), {"spec": spec})

    async def velero(self, resource: str, name: str) -> Object:
        """Read an object of the original."""
        return await self.admin.get(f"{VELERO}/{resource}/{name}")

    async def gone(self, path: str) -> None:
        """Wait until an object is not there any more."""
        async with asyncio.timeout(SECONDS):
            while await self.is_there(path):
                await pause(0.1)

    async def is_there(self, path: str) -> bool:
        """Tell whether there is an object."""
        try:
            await self.admin.get(path)
        except NotFound:
            return False
        return True

    def keys(self, bucket: str, name: str) -> list[str]:
        """Give all keys of a bucket that have to do with something of this name."""
        pages = obstore.list(self.stage.s3.store(bucket))
        return sorted(str(one["path"]) for page in pages for one in page if name in one["path"])


def of_tenant(kind: str, name: str = "") -> str:
    """Give the path of the tenant's objects of a kind, or of one of them."""
    path = f"/apis/{GROUP}/namespaces/{SHOP}/{kind.lower()}s"
    return f"{path}/{name}" if name else path


def conditions(one: Object) -> dict[str, tuple[str, str]]:
    """Give the status and the reason of each condition."""
    found = one.get("status", {}).get("conditions", [])
    return {each["type"]: (each["status"], each["reason"]) for each in found}


def message(one: Object, kind: str) -> str:
    """Give the message of a condition; empty: there is none."""
    found = one.get("status", {}).get("conditions", [])
    return next((each["message"] for each in found if each["type"] == kind), "")


def has_ended(one: Object) -> bool:
    """Tell whether it is said that something has succeeded or failed."""
    found = conditions(one)
    return any(found.get(kind, ("", ""))[0] == "True" for kind in ("Succeeded", "Failed"))


def position(one: Object) -> int | None:
    """Give the position in the line."""
    found: int | None = one.get("status", {}).get("queueInfo", {}).get("estimatedQueuePosition")
    return found


def copied(one: Object, part: str = "veleroBackup") -> Object:
    """Give the copy of the status of the original's object."""
    found: Object = one.get("status", {}).get(part, {}).get("status", {})
    return found


@asynccontextmanager
async def beside(
    real: Programs, original: VeleroPrograms, s3: S3Server, folder: Path
) -> AsyncIterator[Beside]:
    """Run both in one cluster, where a tenant has a namespace with something in it."""
    for bucket in (ADMINS, OWN):
        s3.make_bucket(bucket)
    async with AsyncExitStack() as stack:
        stage = await stack.enter_async_context(staged(real, original, s3, folder))
        await add_kinds(stage.scene)
        await stage.scene.create([*_tenancy(), *location(s3, ADMINS)])
        engine = Engine(stage.velero)
        stack.callback(engine.stop)
        engine.start()
        await available(stage.scene)
        without = f"--disable-controllers={','.join(ENGINE)}"
        stack.enter_context(kedge_server(stage.cluster.kubeconfig, folder / "kedge", without))
        login = (stage.cluster.url, stage.cluster.tokens["alice"], stage.cluster.tls)
        tenant = await stack.enter_async_context(Client(*login))
        yield Beside(stage, tenant, engine)


def _tenancy() -> list[Object]:
    """Write the tenant's namespace with something in it, the roles, and the policy."""
    rbac = "rbac.authorization.k8s.io"
    binding = {
        "apiVersion": f"{rbac}/v1",
        "kind": "RoleBinding",
        "roleRef": {"apiGroup": rbac, "kind": "ClusterRole"},
        "subjects": [{"apiGroup": rbac, "kind": "User", "name": "alice"}],
    }
    bindings = [
        {
            **binding,
            "metadata": {"name": role, "namespace": SHOP},
            "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": role},
        }
        for role in (EDIT, "edit")
    ]
    policy = {"name": POLICY_NAME, "namespace": NAMESPACE}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SHOP}},
        *tenant_roles(),
        *bindings,
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": policy, "data": POLICY},
        *(config_map(f"price-{number:03d}") for number in range(100)),
    ]


def config_map(name: str) -> Object:
    """Write something that is worth a backup."""
    meta = {"name": name, "namespace": SHOP, "labels": {"app": "shop"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"tea": "4"}}
