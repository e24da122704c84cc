"""Put the trouble into a cluster: objects, then owners, statuses and deletions."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from kedge.kube.errors import ApiError, NotFound
from kedge.testing.client import Client
from tests.integration.roundtrip.manifests import NAMESPACE, everything

Object = dict[str, Any]
Named = tuple[str, str, str, str]
"""An object by its apiVersion, kind, namespace (empty: none) and name."""
SERVED_SECONDS = 60.0
AT_ONCE = 8

OWNERS: list[tuple[Named, Named]] = [
    (("apps/v1", "ReplicaSet", NAMESPACE, "web-1"), ("apps/v1", "Deployment", NAMESPACE, "web")),
    (("v1", "Pod", NAMESPACE, "waits"), ("apps/v1", "ReplicaSet", NAMESPACE, "web-1")),
    (
        ("sea.example.com/v1", "Boat", NAMESPACE, "barge"),
        ("sea.example.com/v1", "Boat", NAMESPACE, "tug"),
    ),
    (
        ("sea.example.com/v1", "Boat", NAMESPACE, "tug"),
        ("sea.example.com/v1alpha1", "Sea", "", "north"),
    ),
    (("v1", "ConfigMap", NAMESPACE, "plain"), ("v1", "Service", NAMESPACE, "inside")),
]
"""Whose owner is who: chains, and owners in no namespace."""

STATUSES: dict[Named, Object] = {
    ("v1", "PersistentVolume", "", "bound"): {"phase": "Bound"},
    ("v1", "PersistentVolumeClaim", NAMESPACE, "bound"): {
        "phase": "Bound",
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "1Gi"},
    },
    ("v1", "Pod", NAMESPACE, "one"): {"phase": "Running", "podIP": "10.1.2.3"},
    ("apps/v1", "Deployment", NAMESPACE, "web"): {"observedGeneration": 1, "replicas": 0},
    ("v1", "Service", NAMESPACE, "balanced"): {
        "loadBalancer": {"ingress": [{"ip": "203.0.113.9", "ipMode": "VIP"}]}
    },
    ("sea.example.com/v1", "Boat", NAMESPACE, "tug"): {"place": "harbour", "replicas": 3},
}

DELETED: list[Named] = [("v1", "ConfigMap", NAMESPACE, "deleting")]
"""On their way out when the backup is made: a finalizer holds them."""


@dataclass
class Scene:
    """Knows the paths of one server's resources."""

    client: Client
    _plurals: dict[str, dict[str, tuple[str, bool]]] = field(default_factory=dict)

    async def make(self, *, is_embedded: bool = False) -> None:
        """Create all of the trouble."""
        await self.create(everything(is_embedded=is_embedded))
        await self.finish()

    async def create(self, objects: list[Object]) -> None:
        """Create objects, neighbours of one kind at the same time."""
        for batch in _batches(objects):
            await self._create_all(batch)

    async def put(self, obj: Object) -> None:
        """Create an object, or put it in the place of an older one."""
        meta = obj["metadata"]
        path = await self.path(
            (obj["apiVersion"], obj["kind"], meta.get("namespace", ""), meta["name"])
        )
        with contextlib.suppress(NotFound):
            await self.client.delete(path)
        await self._create(obj)

    async def path(self, named: Named) -> str:
        """Give the path of one object."""
        version, kind, namespace, name = named
        return f"{await self._collection(version, kind, namespace)}/{quote(name, safe='')}"

    async def get(self, named: Named) -> Object:
        """Read one object."""
        return await self.client.get(await self.path(named))

    async def _create_all(self, objects: list[Object]) -> None:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(obj: Object) -> None:
            async with gate:
                await self._create(obj)

        async with asyncio.TaskGroup() as group:
            for obj in objects:
                group.create_task(one(obj))

    async def _create(self, obj: Object) -> None:
        meta = obj["metadata"]
        where = await self._collection(obj["apiVersion"], obj["kind"], meta.get("namespace", ""))
        try:
            await self.client.create(where, obj)
        except ApiError as exc:
            exc.add_note(f"creating {obj['kind']} {meta['name']!r}")
            raise
        if obj["kind"] == "CustomResourceDefinition":
            await self.client.until(f"{where}/{meta['name']}", _is_established)
            self._plurals.clear()

    async def finish(self) -> None:
        """Set owners and statuses, and delete what is to be on its way out."""
        for child, owner in OWNERS:
            it = await self.get(owner)
            reference = {k: it[k] for k in ("apiVersion", "kind")}
            reference |= {k: it["metadata"][k] for k in ("name", "uid")}
            change = {"metadata": {"ownerReferences": [reference | {"controller": True}]}}
            await self.client.patch(await self.path(child), change)
        for named, status in STATUSES.items():
            await self.client.patch(f"{await self.path(named)}/status", {"status": status})
        for named in DELETED:
            await self.client.delete(await self.path(named))

    async def _collection(self, version: str, kind: str, namespace: str) -> str:
        plural, is_namespaced = await self._resource(version, kind)
        root = "/api/v1" if version == "v1" else f"/apis/{version}"
        return f"{root}/namespaces/{namespace}/{plural}" if is_namespaced else f"{root}/{plural}"

    async def _resource(self, version: str, kind: str) -> tuple[str, bool]:
        """Look a kind up; one that was just defined is served a moment later."""
        async with asyncio.timeout(SERVED_SECONDS):
            while kind not in (known := self._plurals.get(version, {})):
                self._plurals[version] = await self._discover(version)
        return known[kind]

    async def _discover(self, version: str) -> dict[str, tuple[str, bool]]:
        try:
            found = await self.client.get("/api/v1" if version == "v1" else f"/apis/{version}")
        except NotFound:
            return {}
        return {
            one["kind"]: (one["name"], one["namespaced"])
            for one in found["resources"]
            if "/" not in one["name"]
        }


def _batches(objects: list[Object]) -> list[list[Object]]:
    """Group what may be created at the same time: neighbours of one kind."""
    found: list[list[Object]] = []
    for obj in objects:
        key = (obj["apiVersion"], obj["kind"])
        if not found or (found[-1][0]["apiVersion"], found[-1][0]["kind"]) != key:
            found.append([])
        found[-1].append(obj)
    return found


def _is_established(crd: Object) -> bool:
    conditions = crd.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)
