"""A sample controller: a Fleet of n boats has n ConfigMaps, and a status that tells of them.

It does all that a controller of ours does: it reads caches, decides, creates and deletes children
under names that follow from the spec, keeps a finalizer, and patches its status once.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from kedge.aio.background import background
from kedge.aio.backoff import Backoff
from kedge.client import Client, ClientSettings, Deletion
from kedge.client.patches import merge
from kedge.client.retry import Retrying
from kedge.client.where import explicit
from kedge.kube.errors import AlreadyExists, NotFound
from kedge.kube.kind import Object, plain
from kedge.kube.owner import is_controlled_by, reference_to
from kedge.runtime import (
    AWAIT_CHANGE,
    Cache,
    Keeping,
    Key,
    Manager,
    ManagerSettings,
    On,
    QueueSettings,
    Result,
    WatchSettings,
    itself,
    owner,
)
from kedge.runtime.entry import Entry

FLEET = plain("sea.example.com/v1", "Fleet", "fleets")
BOAT = plain("v1", "ConfigMap", "configmaps")
FINALIZER = "sea.example.com/harbour"

CRD: Object = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "fleets.sea.example.com"},
    "spec": {
        "group": "sea.example.com",
        "scope": "Namespaced",
        "names": {"plural": "fleets", "singular": "fleet", "kind": "Fleet"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "x-kubernetes-preserve-unknown-fields": True,
                            },
                            "status": {
                                "type": "object",
                                "x-kubernetes-preserve-unknown-fields": True,
                            },
                        },
                    }
                },
            }
        ],
    },
}


def a_fleet(name: str, size: int, colour: str = "white", namespace: str = "default") -> Object:
    """Make a Fleet."""
    return {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"size": size, "colour": colour},
    }


def owner_uid(entry: Entry[Object]) -> list[str]:
    """Index boats by the uid of their fleet."""
    return [one.uid for one in entry.meta.owner_references or () if one.controller]


@dataclass(slots=True)
class FleetController:
    """Builds what a Fleet says."""

    client: Client
    fleets: Cache[Object]
    boats: Cache[Object]

    async def reconcile(self, key: Key) -> Result:
        """Bring one Fleet up to date."""
        fleet = self.fleets.get(key)
        if fleet is None:
            return AWAIT_CHANGE
        if fleet["metadata"].get("deletionTimestamp"):
            await self._scuttle(key, fleet)
            return AWAIT_CHANGE
        if FINALIZER not in fleet["metadata"].get("finalizers", ()):
            await self._finalizers(key, fleet, [FINALIZER])
            return AWAIT_CHANGE  # the watch brings the new version
        wanted = {boat["metadata"]["name"]: boat for boat in boats_for(fleet)}
        for name, boat in wanted.items():
            await self._build(Key(key.namespace, name), boat, fleet)
        for entry in self.boats.find("fleet", fleet["metadata"]["uid"]):
            if entry.key.name not in wanted:
                await self._sink(entry)
        await self._tell(key, fleet, len(wanted))
        return AWAIT_CHANGE

    async def _build(self, key: Key, boat: Object, fleet: Object) -> None:
        there = self.boats.get(key)
        if there is None:
            try:
                await self.client.create(BOAT, boat, key.namespace)
            except AlreadyExists:
                # By ourselves, before the cache knew; or by somebody else: then the cache tells.
                return
        elif is_controlled_by(there, fleet) and there.get("data") != boat["data"]:
            change = {
                "metadata": {"resourceVersion": there["metadata"]["resourceVersion"]},
                "data": boat["data"],
            }
            await self.client.patch(BOAT, key.name, merge(change), key.namespace)

    async def _sink(self, boat: Entry[Object]) -> None:
        try:
            deletion = Deletion(uid=boat.meta.uid)
            await self.client.delete(BOAT, boat.key.name, boat.key.namespace, deletion)
        except NotFound:
            pass

    async def _tell(self, key: Key, fleet: Object, count: int) -> None:
        status = {"boats": count, "observedGeneration": fleet["metadata"]["generation"]}
        if fleet.get("status") != status:
            await self.client.patch_status(
                FLEET, key.name, merge({"status": status}), key.namespace
            )

    async def _scuttle(self, key: Key, fleet: Object) -> None:
        """Sink all boats, and let the fleet go when none is left."""
        boats = self.boats.find("fleet", fleet["metadata"]["uid"])
        for boat in boats:
            await self._sink(boat)
        if not boats and FINALIZER in fleet["metadata"].get("finalizers", ()):
            await self._finalizers(key, fleet, None)

    async def _finalizers(self, key: Key, fleet: Object, finalizers: list[str] | None) -> None:
        version = fleet["metadata"]["resourceVersion"]
        change = {"metadata": {"resourceVersion": version, "finalizers": finalizers}}
        await self.client.patch(FLEET, key.name, merge(change), key.namespace)


def boats_for(fleet: Object) -> list[Object]:
    """Make the boats of a fleet; their names follow from its name."""
    return [
        {
            "metadata": {
                "name": f"{fleet['metadata']['name']}-{number}",
                "ownerReferences": [reference_to({**fleet, "apiVersion": FLEET.api_version})],
            },
            "data": {"colour": fleet["spec"]["colour"]},
        }
        for number in range(fleet["spec"]["size"])
    ]


QUICK = Backoff(first=0.02, most=0.2)
"""Real servers are waited for in real time: as little as will do."""
SETTINGS = ManagerSettings(
    stop_seconds=5, watch=WatchSettings(backoff=QUICK), queue=QueueSettings(QUICK)
)
CLIENT_SETTINGS = ClientSettings(
    per_second=0, answer_seconds=5, retrying=Retrying(attempts=4, backoff=QUICK)
)


def manager_for(client: Client, settings: ManagerSettings = SETTINGS, **parts: Any) -> Manager:
    """Wire the sample controller."""
    manager = Manager(client, settings, **parts)
    fleets = manager.cache(FLEET)
    boats = manager.cache(BOAT, Keeping(indexes={"fleet": owner_uid}))
    controller = FleetController(client, fleets, boats)
    watches = [On(fleets, itself), On(boats, owner(FLEET))]
    manager.control("fleet", controller.reconcile, watches, workers=2)
    return manager


@asynccontextmanager
async def sailing(
    url: str, token: str = "", ca: bytes | None = None, settings: ManagerSettings = SETTINGS
) -> AsyncIterator[Manager]:
    """Run the sample controller against a server while the block runs."""
    async with Client(explicit(url, token=token or None, ca=ca), CLIENT_SETTINGS) as client:
        manager = manager_for(client, settings)
        async with background(manager.run()):
            yield manager
