"""kill -9 under concurrent writers, through HTTP: what was acknowledged stays; watches have no gap.

Each life of the server is killed in the middle of writes. A write whose answer never came may be
done or not done, but not half done.
"""

import asyncio
import os
import random
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kedge.client import ClientError
from kedge.kube.errors import AlreadyExists, Conflict, NotFound
from kedge.testing import Client, Event
from tests.integration.apiserver_process import Running, running

ROUNDS = int(os.environ.get("KEDGE_KILL_ROUNDS", "2"))
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, ROUNDS))]
LIVES = 3
WRITERS = 8
CONFIGS = "/api/v1/namespaces/default/configmaps"
LONG = 60.0
GONE = (ClientError, ConnectionError, TimeoutError)


@dataclass
class Witness:
    """What clients were told over all lives of the server."""

    acks: dict[int, str] = field(default_factory=dict)
    """The token of each write that was acknowledged, by its version."""
    deleted: list[tuple[str, int]] = field(default_factory=list)
    """Names whose deletion was acknowledged, with the version that was deleted at the latest."""
    events: list[Event] = field(default_factory=list)
    """All that one watcher saw, who resumed after each life."""
    seen: str = "0"
    """The version up to which it has seen everything."""

    @property
    def count(self) -> int:
        """How many writes were acknowledged."""
        return len(self.acks) + len(self.deleted)

    @property
    def newest(self) -> int:
        """The newest version that anybody was told."""
        return max([int(self.seen), *self.acks])

    async def watch(self, client: Client, last: str = "") -> None:
        """Follow from where the last life ended, until the server dies or an object is seen."""
        async for event in client.watch(CONFIGS, resourceVersion=self.seen):
            assert event.type != "ERROR", event.object
            self.events.append(event)
            self.seen = event.object["metadata"]["resourceVersion"]
            if last and event.object["metadata"]["name"] == last:
                return


@dataclass
class Life:
    """One life of the server: writers go on until it is killed."""

    server: Running
    client: Client
    witness: Witness
    chance: random.Random
    enough: int
    """Acknowledgements after which it is killed."""

    async def run(self) -> None:
        """Write and watch until the end."""
        if self.witness.seen == "0":
            start = await self.client.get(CONFIGS)
            self.witness.seen = start["metadata"]["resourceVersion"]
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch())
            for writer in range(WRITERS):
                tasks.create_task(self._write(random.Random(self.chance.random()), writer))

    async def _watch(self) -> None:
        with suppress(*GONE):
            await self.witness.watch(self.client)

    async def _write(self, chance: random.Random, writer: int) -> None:
        with suppress(*GONE):
            while True:
                mine = chance.choice([f"own-{writer}", "shared"])
                with suppress(AlreadyExists, Conflict, NotFound):
                    await self._step(f"{mine}-{chance.randrange(4)}", chance)
                if self.witness.count >= self.enough:
                    self.server.process.kill()

    async def _step(self, name: str, chance: random.Random) -> None:
        token = f"{chance.random()}"
        path, data = f"{CONFIGS}/{name}", {"first": token, "padding": "x" * 3000, "last": token}
        try:
            current = await self.client.get(path)
        except NotFound:
            body = {"metadata": {"name": name}, "data": data}
            self._heard(await self.client.create(CONFIGS, body), token)
            return
        verb = chance.randrange(4)
        if verb == 0:
            await self.client.delete(path)
            self.witness.deleted.append((name, int(current["metadata"]["resourceVersion"])))
        elif verb == 1:
            self._heard(await self.client.replace(path, {**current, "data": data}), token)
        else:
            self._heard(await self.client.patch(path, {"data": data}), token)

    def _heard(self, obj: dict[str, Any], token: str) -> None:
        self.witness.acks[int(obj["metadata"]["resourceVersion"])] = token


def check(witness: Witness, listed: dict[str, Any]) -> None:
    """Compare what was promised with what the watcher saw, and with what is there now."""
    versions = [int(event.object["metadata"]["resourceVersion"]) for event in witness.events]
    assert versions == sorted(set(versions)), "an event came twice or too late"
    by_version = dict(zip(versions, witness.events, strict=True))
    state: dict[str, dict[str, Any]] = {}
    for event in witness.events:
        data, name = event.object["data"], event.object["metadata"]["name"]
        assert data["first"] == data["last"], "a write is half done"
        assert (event.type == "ADDED") == (name not in state), "an event is missing"
        if event.type == "DELETED":
            del state[name]
        else:
            state[name] = event.object
    for version, token in witness.acks.items():
        assert version in by_version, f"no event of version {version}"
        assert by_version[version].object["data"]["first"] == token
    deletions = [event for event in witness.events if event.type == "DELETED"]
    for name, least in witness.deleted:
        assert any(
            event.object["metadata"]["name"] == name
            and int(event.object["metadata"]["resourceVersion"]) > least
            for event in deletions
        )
    strip = ("kind", "apiVersion")
    expected = {
        name: {key: value for key, value in obj.items() if key not in strip}
        for name, obj in state.items()
    }
    assert {item["metadata"]["name"]: item for item in listed["items"]} == expected


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", SEEDS)
async def test_nothing_acknowledged_is_lost_and_watches_resume(tmp_path: Path, seed: int) -> None:
    chance, witness, data = random.Random(seed), Witness(), tmp_path / "data"
    async with asyncio.timeout(LONG * LIVES):
        for _ in range(LIVES):
            with running(data) as server:
                async with client_of(server, data) as client:
                    before = witness.newest
                    enough = witness.count + chance.randrange(50, 400)
                    await Life(server, client, witness, chance, enough).run()
                assert server.process.wait(LONG) == -9
                later = [version for version in witness.acks if version > before]
                assert len(later) > 0
                assert server.errors() == ""
        with running(data) as server:
            async with client_of(server, data) as client:
                end = {"metadata": {"name": "end"}, "data": {"first": "", "last": ""}}
                made = await client.create(CONFIGS, end)
                assert int(made["metadata"]["resourceVersion"]) > witness.newest
                await witness.watch(client, last="end")
                check(witness, await client.get(CONFIGS))


def client_of(server: Running, data: Path) -> Client:
    """Make a client for one life of the server; authority and token outlive it."""
    tls = ssl.create_default_context(cafile=str(data / "pki" / "ca.crt"))
    return Client(server.url, (data / "pki" / "admin.token").read_text().strip(), tls)
