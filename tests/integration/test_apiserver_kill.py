"""kill -9 under concurrent writers, through HTTP: nothing acknowledged is lost, watches go on."""

import asyncio
import os
import random
import signal
import ssl
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from kedge.kube.errors import ApiError
from kedge.testing.client import Client
from tests.integration.apiserver_process import Running, running, tls_of

ROUNDS = int(os.environ.get("KEDGE_KILL_ROUNDS", "2"))
WRITERS = 8
ACKNOWLEDGED = 150
"""Writes after which the server is killed, about: the moment is random."""
PATH = "/api/v1/namespaces/default/configmaps"

GONE = (aiohttp.ClientError, ConnectionError, ssl.SSLError, TimeoutError, asyncio.TimeoutError)


class Truth:
    """What the server has acknowledged, and what is under way."""

    def __init__(self) -> None:
        self.objects: dict[str, str] = {}
        """The value of each object that is there."""
        self.open: dict[str, set[str | None]] = {}
        """What an unanswered write may have made of an object (None: it is gone)."""
        self.newest = 0
        self.count = 0

    def acknowledged(self, name: str, answer: dict[str, Any] | None, value: str | None) -> None:
        self.open.pop(name, None)
        self.count += 1
        if value is None:
            self.objects.pop(name, None)
        else:
            self.objects[name] = value
        if answer is not None:
            self.newest = max(self.newest, int(answer["metadata"]["resourceVersion"]))

    def may_be(self, name: str) -> set[str | None]:
        return {self.objects.get(name), *self.open.get(name, ())}


@pytest.mark.asyncio
async def test_nothing_acknowledged_is_lost_and_a_watch_goes_on_without_a_gap(
    tmp_path: Path,
) -> None:
    truth, seen = Truth(), Watched()
    chance = random.Random(20260327)
    for number in range(ROUNDS):
        with running(tmp_path / "data") as server:
            async with _client(server, tmp_path) as client:
                await check(client, truth)
                await storm(server, client, truth, seen, chance, number)
    with running(tmp_path / "data") as server:
        async with _client(server, tmp_path) as client:
            await check(client, truth)
            await seen.follow(client, until=truth.newest)
            found = await client.get(PATH)
            state = {one["metadata"]["name"]: one["data"]["v"] for one in found["items"]}
            assert seen.state == state


class Watched:
    """What a watcher knows that follows across all lives of the server."""

    def __init__(self) -> None:
        self.version = "0"
        self.state: dict[str, str] = {}

    async def follow(self, client: Client, until: int | None = None) -> None:
        """Follow from the last version seen, until a version or the end of the connection."""
        query = {"resourceVersion": self.version, "allowWatchBookmarks": "true"}
        if until is not None:
            query["timeoutSeconds"] = "3"
        async for event in client.watch(PATH, **query):
            assert event.type != "ERROR", event
            meta = event.object["metadata"]
            assert int(meta["resourceVersion"]) >= int(self.version) or self.version == "0"
            if event.type != "BOOKMARK":
                self._take(event.type, event.object)
            self.version = str(max(int(self.version), int(meta["resourceVersion"])))

    def _take(self, kind: str, obj: dict[str, Any]) -> None:
        name = obj["metadata"]["name"]
        if kind == "DELETED":
            assert name in self.state, f"{name} was deleted, and never seen"
            del self.state[name]
        else:
            assert (name in self.state) == (kind == "MODIFIED"), f"{kind} {name}"
            self.state[name] = obj["data"]["v"]


async def check(client: Client, truth: Truth) -> None:
    """Compare what is there with what was acknowledged."""
    found = await client.get(PATH)
    there = {one["metadata"]["name"]: one["data"]["v"] for one in found["items"]}
    assert int(found["metadata"]["resourceVersion"]) >= truth.newest
    for name in there.keys() | truth.objects.keys() | truth.open.keys():
        assert there.get(name) in truth.may_be(name), name
    truth.objects, truth.open = there, {}


async def storm(
    server: Running,
    client: Client,
    truth: Truth,
    seen: Watched,
    chance: random.Random,
    number: int,
) -> None:
    """Write from all sides, and kill the server in the middle of it."""
    truth.count = 0
    limit = ACKNOWLEDGED + chance.randrange(ACKNOWLEDGED)
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(_until_gone(seen.follow(client)))
        writers = [
            group.create_task(_until_gone(write(client, truth, f"w{n}", number)))
            for n in range(WRITERS)
        ]
        while truth.count < limit:
            await asyncio.wait(writers, timeout=0.01)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        await asyncio.wait([watching, *writers])


async def _until_gone(work: Any) -> None:
    try:
        await work
    except GONE:
        return


async def write(client: Client, truth: Truth, writer: str, number: int) -> None:
    """Create, change and delete objects of one's own, one after the other, for ever."""
    turn = 0
    while True:
        turn += 1
        name, value = f"{writer}-{turn % 5}", f"{number}.{turn}"
        there = name in truth.objects
        if there and turn % 7 == 0:
            truth.open[name] = {None}
            await client.delete(f"{PATH}/{name}")
            truth.acknowledged(name, None, None)
            continue
        truth.open[name] = {value}
        try:
            if there:
                answer = await client.patch(f"{PATH}/{name}", {"data": {"v": value}})
            else:
                body = {"metadata": {"name": name}, "data": {"v": value}}
                answer = await client.create(PATH, body)
        except ApiError as error:
            raise AssertionError(f"{name}: {error}") from error
        truth.acknowledged(name, answer, value)


def _client(server: Running, folder: Path) -> Client:
    return Client(server.url, "", tls_of(folder / "data" / "kubeconfig"))
