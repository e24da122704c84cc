"""The same writes from a client that does nothing else: what the API server takes."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from parts.api.client import Client, Request, connected, encoded
from parts.api.servers import Target
from parts.schedules.load import PARALLEL, collection
from parts.selfservice.cases import Station, make_namespaces
from parts.selfservice.post import GROUP, PLURAL, post
from parts.selfservice.result import Bare
from parts.selfservice.seen import look

HOME = "bare"
Object = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """A NonAdminBackup and its Velero Backup, as `kedge server` has left them."""

    nab: Object
    backup: Object

    @property
    def first_status(self) -> Object:
        """The status of its first write: accepted, and the name of a Velero Backup."""
        status = self.nab["status"]
        reference = {
            name: status["veleroBackup"][name] for name in ("nacuuid", "name", "namespace")
        }
        return {"phase": "New", "conditions": status["conditions"][:1], "veleroBackup": reference}


async def example(where: Station) -> Example:
    """Read one of those that were made."""
    seen, _ = await look(where.client, where.prefix)
    (namespace, name), backup = next(iter(seen.backups.items()))
    made = Request("GET", f"{GROUP}/namespaces/{namespace}/{PLURAL}/{name}")
    velero = Request("GET", f"{collection(where.home, 'backups')}/{backup}")
    return Example(
        _without_notes(json.loads(await where.client.ask(made))),
        _without_notes(json.loads(await where.client.ask(velero))),
    )


async def bare(target: Target, like: Example, count: int) -> Bare:
    """Make as many objects, each with the five writes that it takes."""
    await make_namespaces(target, HOME)
    numbers = iter(range(count))
    async with connected(target, PARALLEL) as client:
        with client.meter(count) as taken:
            async with asyncio.TaskGroup() as group:
                for _ in range(PARALLEL):
                    group.create_task(_work(client, like, numbers))
    return Bare(count, taken[0].seconds, taken[0].cpu_seconds)


async def _work(client: Client, like: Example, numbers: Iterator[int]) -> None:
    for number in numbers:
        asked = post(HOME, number)
        new, path = json.loads(await client.ask(asked.request)), asked.path
        new = await _put(client, f"{path}/status", {**new, "status": like.first_status})
        meta = {**new["metadata"], "finalizers": like.nab["metadata"]["finalizers"]}
        new = await _put(client, path, {**new, "metadata": meta})
        backup = {**like.backup, "metadata": _fresh(like.backup["metadata"], number)}
        await client.ask(Request("POST", collection(HOME, "backups"), encoded(backup)))
        await _put(client, f"{path}/status", {**new, "status": like.nab["status"]})


async def _put(client: Client, path: str, obj: Object) -> Object:
    answer = await client.ask(Request("PUT", path, encoded(_without_notes(obj))))
    found: Object = json.loads(answer)
    return found


def _without_notes(obj: Object) -> Object:
    meta = {name: value for name, value in obj["metadata"].items() if name != "managedFields"}
    return {**obj, "metadata": meta}


def _fresh(meta: Object, number: int) -> Object:
    """Give the metadata of another object like this one; its name is as long."""
    name = f"{number:05d}{meta['name'][5:]}"
    return {"name": name, "labels": meta["labels"], "annotations": meta["annotations"]}
