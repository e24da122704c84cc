"""Thousands of keys that change at once: each is reconciled, and sees how it ended."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest
import pytest_asyncio

from kedge.aio.background import background
from kedge.client import Client, Selection
from kedge.kube.kind import Object
from kedge.runtime import AWAIT_CHANGE, Cache, Keeping, Key, Manager, On, Result, itself
from tests.integration.runtime.fleet import CLIENT_SETTINGS, SETTINGS
from tests.integration.runtime.following import CONFIGS, ROOT
from tests.integration.runtime.servers import Server, embedded, real

PATIENCE = 120.0
WRITERS = 16
PATIENT = replace(CLIENT_SETTINGS, answer_seconds=PATIENCE)
"""All are deleted by one request."""


@dataclass(frozen=True)
class Scale:
    """A server, and how much is asked of it."""

    server: Server
    count: int


SCALES = [
    pytest.param(("embedded", 1_000), id="embedded"),
    pytest.param(("embedded", 10_000), id="embedded-many", marks=pytest.mark.slow),
    # What takes so long there is writing, which is not what is tested.
    pytest.param(("real", 2_000), id="real", marks=pytest.mark.slow),
]


@pytest_asyncio.fixture(params=SCALES)
async def scale(request: pytest.FixtureRequest) -> AsyncIterator[Scale]:
    where, count = request.param
    if where == "real":
        async with real(request.getfixturevalue("real_cluster")) as found:
            yield Scale(found, count)
    else:
        async with embedded() as found:
            yield Scale(found, count)


@dataclass
class Observer:
    """A controller that remembers what it saw last of each object."""

    cache: Cache[Object]
    seen: dict[str, str | None] = field(default_factory=dict)
    expected: dict[str, str | None] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)
    """Those that were not seen as expected when they were seen last."""
    complete: asyncio.Event = field(default_factory=asyncio.Event)

    async def reconcile(self, key: Key) -> Result:
        entry = self.cache.entry(key)
        self.seen[key.name] = entry.meta.resource_version if entry else None
        self._compare(key.name)
        if not self.missing:
            self.complete.set()
        return AWAIT_CHANGE

    async def until(self, expected: dict[str, str | None]) -> None:
        """Wait until all was seen as it is."""
        self.expected = expected
        for name in expected:
            self._compare(name)
        self.complete.clear()
        if self.missing:
            await asyncio.wait_for(self.complete.wait(), PATIENCE)

    def _compare(self, name: str) -> None:
        if name in self.seen and self.seen[name] == self.expected.get(name):
            self.missing.discard(name)
        elif name in self.expected:
            self.missing.add(name)


async def make(client: Client, namespace: str, count: int) -> dict[str, str | None]:
    """Make so many ConfigMaps, many at once; give their versions."""
    names = iter([f"boat-{number}" for number in range(count)])
    versions: dict[str, str | None] = {}

    async def write() -> None:
        for name in names:
            made = await client.create(CONFIGS, {"metadata": {"name": name}}, namespace)
            versions[name] = made["metadata"]["resourceVersion"]

    async with asyncio.TaskGroup() as group:
        for _ in range(WRITERS):
            group.create_task(write())
    return versions


@pytest.mark.asyncio
async def test_all_keys_that_change_at_once_are_reconciled(scale: Scale) -> None:
    namespace = await scale.server.namespace()
    async with scale.server.client(PATIENT) as client:
        manager = Manager(client, SETTINGS)
        cache = manager.cache(CONFIGS, Keeping(Selection(namespace)))
        observer = Observer(cache)
        manager.control("observer", observer.reconcile, [On(cache, itself)], workers=4)
        async with background(manager.run()):
            versions = await make(client, namespace, scale.count)
            await observer.until(versions)
            await client.delete_collection(CONFIGS, Selection(namespace))
            await observer.until(dict.fromkeys(versions))
            assert {one.key.name for one in cache.entries()} <= {ROOT}
