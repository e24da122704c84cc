"""What an API server is given: kinds, namespaces, ConfigMaps, and a place for backups."""

import asyncio
import base64
import json
import random
from collections.abc import Iterable, Iterator
from typing import Any

from kedge.aio.clock import SystemClock
from parts.api.client import Client, Request, connected, encoded
from parts.api.servers import Target
from tests.velero.s3 import S3Server

CLOCK = SystemClock()
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ESTABLISH_SECONDS = 120
POLL_SECONDS = 0.1
PARALLEL = 20
BUCKET = "bench"
BODY_BYTES = 1700
"""Of each ConfigMap, as it is sent."""
WORDS = 900
"""As many different words has the text: it packs as configuration does, four to one."""

Object = dict[str, Any]


def collection(namespace: str, plural: str) -> str:
    """Give the path of Velero's objects of a namespace."""
    return f"/apis/velero.io/v1/namespaces/{namespace}/{plural}"


async def introduce(target: Target, kinds: Iterable[Object]) -> None:
    """Make kinds known to a server, and wait until it serves them."""
    async with connected(target, 1) as client, asyncio.timeout(ESTABLISH_SECONDS):
        for crd in kinds:
            await client.ask(Request("POST", CRDS, encoded(crd)))
            path = f"{CRDS}/{crd['metadata']['name']}"
            while not _is_established(json.loads(await client.ask(Request("GET", path)))):
                await CLOCK.sleep(POLL_SECONDS)


def _is_established(crd: Object) -> bool:
    conditions = crd.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


async def make(target: Target, objects: Iterable[tuple[str, Object]]) -> None:
    """Create objects, each in its collection, in their order."""
    async with connected(target, 1) as client:
        for path, obj in objects:
            await client.ask(Request("POST", path, encoded(obj)))


def namespace(name: str) -> tuple[str, Object]:
    """Describe a namespace."""
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    return "/api/v1/namespaces", body


async def fill(target: Target, name: str, count: int) -> None:
    """Make a namespace with so many ConfigMaps."""
    await make(target, [namespace(name)])
    path = f"/api/v1/namespaces/{name}/configmaps"
    async with connected(target, PARALLEL) as client:
        await client.timed((Request("POST", path, body) for body in config_maps(count)), PARALLEL)


def config_maps(count: int) -> Iterator[bytes]:
    """Write ConfigMaps of about the same size, no two alike."""
    chance = random.Random(1)
    words = [
        "".join(chance.choices("abcdefghijklmnop", k=chance.randint(3, 9))) for _ in range(WORDS)
    ]
    for number in range(count):
        text = ""
        while len(text) < BODY_BYTES - 180:
            text += f"{chance.choice(words)}: {chance.choice(words)} {chance.randrange(1000)}\n"
        meta = {
            "name": f"settings-{number:06d}",
            "labels": {"app": "bench", "shard": str(number % 7)},
        }
        yield encoded(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"settings": text}}
        )


def s3_location(space: str, server: S3Server, prefix: str) -> list[tuple[str, Object]]:
    """Describe a location in a bucket, and the Secret with its key."""
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "cloud"},
        "data": {"cloud": base64.b64encode(server.credentials.encode()).decode()},
    }
    spec = {
        "provider": "aws",
        "objectStorage": {"bucket": BUCKET, "prefix": prefix},
        "config": server.config,
        "credential": {"name": "cloud", "key": "cloud"},
    }
    return [(f"/api/v1/namespaces/{space}/secrets", secret), _location(space, spec)]


def folder_location(space: str, prefix: str) -> list[tuple[str, Object]]:
    """Describe a location in the folder of `kedge server`."""
    place = {"bucket": BUCKET, "prefix": prefix}
    return [_location(space, {"provider": "kedge.dev/filesystem", "objectStorage": place})]


def deployment(space: str) -> tuple[str, Object]:
    """Describe the Deployment that Velero's restores ask for the name of its image."""
    labels = {"deploy": "velero"}
    container = {"name": "velero", "image": "registry.example.com/velero:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    body = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "velero"},
        "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template},
    }
    return f"/apis/apps/v1/namespaces/{space}/deployments", body


def _location(space: str, spec: Object) -> tuple[str, Object]:
    body = {
        "apiVersion": "velero.io/v1",
        "kind": "BackupStorageLocation",
        "metadata": {"name": "default"},
        "spec": {**spec, "default": True},
    }
    return collection(space, "backupstoragelocations"), body


def backup(name: str, *namespaces: str) -> Object:
    """Describe a Backup of whole namespaces."""
    spec = {"includedNamespaces": list(namespaces), "snapshotVolumes": False}
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {"name": name},
        "spec": spec,
    }


def restore(name: str, of: str, source: str, target: str) -> Object:
    """Describe a Restore of a namespace beside itself."""
    spec = {"backupName": of, "namespaceMapping": {source: target}}
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Restore",
        "metadata": {"name": name},
        "spec": spec,
    }


async def post(client: Client, path: str, objects: Iterable[Object], parallel: int = 1) -> None:
    """Create objects of one kind."""
    await client.timed((Request("POST", path, encoded(one)) for one in objects), parallel)
