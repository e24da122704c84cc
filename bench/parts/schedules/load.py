"""What a server is given: our kinds, a namespace, and Schedules in it."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from kedge.aio.clock import SystemClock
from kedge.api.crd import crds
from parts.api.client import MERGE_PATCH, Client, Refused, Request, connected, encoded
from parts.api.servers import Target

CLOCK = SystemClock()
PARALLEL = 20
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "/apis/velero.io/v1"
ESTABLISH_SECONDS = 30
POLL_SECONDS = 0.1
TEMPLATE = {
    "includedNamespaces": ["team", "team-tools"],
    "excludedResources": ["events", "events.events.k8s.io"],
    "labelSelector": {"matchLabels": {"backup": "yes"}},
    "storageLocation": "default",
    "ttl": "720h0m0s",
}


def collection(namespace: str, plural: str) -> str:
    """Give the path of the objects of a namespace."""
    return f"{GROUP}/namespaces/{namespace}/{plural}"


async def introduce(target: Target) -> None:
    """Make our kinds known to a server, and wait until it serves them."""
    async with connected(target, PARALLEL) as client:
        await client.timed((Request("POST", CRDS, encoded(crd)) for crd in crds()), PARALLEL)
        async with asyncio.timeout(ESTABLISH_SECONDS):
            for crd in crds():
                spec = crd["spec"]
                version = spec["versions"][0]["name"]
                path = f"/apis/{spec['group']}/{version}/{spec['names']['plural']}"
                while not await _is_served(client, path):
                    await CLOCK.sleep(POLL_SECONDS)


async def _is_served(client: Client, path: str) -> bool:
    try:
        await client.ask(Request("GET", f"{path}?limit=1"))
    except Refused:
        return False
    return True


async def make_namespace(target: Target, name: str) -> None:
    """Make a namespace."""
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    async with connected(target, 1) as client:
        await client.ask(Request("POST", "/api/v1/namespaces", encoded(body)))


async def fill(target: Target, namespace: str, names: Iterable[str], expression: str) -> None:
    """Make Schedules, like those that people have, that are due alike."""
    path = collection(namespace, "schedules")
    async with connected(target, PARALLEL) as client:
        bodies = (Request("POST", path, _schedule(name, expression)) for name in names)
        await client.timed(bodies, PARALLEL)


async def remove(target: Target, namespace: str, names: Iterable[str]) -> None:
    """Delete Schedules."""
    path = collection(namespace, "schedules")
    async with connected(target, PARALLEL) as client:
        await client.timed((Request("DELETE", f"{path}/{name}") for name in names), PARALLEL)


def _schedule(name: str, expression: str) -> bytes:
    meta = {"name": name, "labels": {"app.kubernetes.io/part-of": "bench", "team": name}}
    return encoded(
        {
            "apiVersion": "velero.io/v1",
            "kind": "Schedule",
            "metadata": meta,
            "spec": {"schedule": expression, "template": TEMPLATE},
        }
    )


async def written(target: Target, namespace: str) -> list[str]:
    """Name the Schedules in the order in which they were last written."""
    async with connected(target, 1) as client:
        answer = await client.ask(Request("GET", collection(namespace, "schedules")))
    metas = [item["metadata"] for item in json.loads(answer)["items"]]
    metas.sort(key=lambda meta: int(meta["resourceVersion"]))
    return [meta["name"] for meta in metas]


def writes(namespace: str, names: Iterable[str]) -> Iterator[Request]:
    """Write a Backup and a status for each Schedule, much as its run does."""
    backups, schedules = collection(namespace, "backups"), collection(namespace, "schedules")
    for turn, name in enumerate(names):
        backup = {
            "apiVersion": "velero.io/v1",
            "kind": "Backup",
            "metadata": {
                "name": f"{name}-plain",
                "labels": {"velero.io/schedule-name": name, "team": name},
                "annotations": {"kedge.dev/due": "2026-01-01T00:00:00Z"},
            },
            "spec": TEMPLATE,
        }
        yield Request("POST", backups, encoded(backup))
        text = f"2026-01-01T{turn // 3600 % 24:02d}:{turn // 60 % 60:02d}:{turn % 60:02d}Z"
        status = encoded({"status": {"lastBackup": text, "nextRun": text}})
        yield Request("PATCH", f"{schedules}/{name}/status", status, MERGE_PATCH)


def numbered(prefix: str, count: int) -> list[str]:
    """Name so many Schedules."""
    return [f"{prefix}-{number:05d}" for number in range(count)]


def coming_minute(seconds: float) -> datetime:
    """Give the first full minute that is at least so many seconds away."""
    earliest = CLOCK.now() + timedelta(seconds=seconds)
    return earliest.replace(second=0, microsecond=0) + timedelta(minutes=1)


def expression_of(due: datetime) -> str:
    """Write the expression that is due then, and next a day later."""
    return f"{due.minute} {due.hour} * * *"


async def sleep_until(instant: datetime) -> None:
    """Wait for an instant of the wall clock; one that is past is not waited for."""
    await CLOCK.sleep(max(0.0, (instant - CLOCK.now()).total_seconds()))
