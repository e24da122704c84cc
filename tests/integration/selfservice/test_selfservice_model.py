"""Random people, random deeds, random crashes: the laws of self-service hold all the same."""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import pytest

from kedge.aio.background import background
from kedge.client import Client as Typed
from kedge.controllers.nab.wiring import NabSettings
from kedge.controllers.nab.wiring import add_to as add_nab
from kedge.controllers.nar.controller import NarSettings
from kedge.controllers.nar.controller import add_to as add_nar
from kedge.kube.kind import Object
from kedge.runtime import Manager
from kedge.testing import Client, Cluster, FakeClock, faults
from tests.integration.controllers.harbour import Events
from tests.integration.eventually import pause
from tests.integration.selfservice.crowd import FORGED, REQUESTS, SPACES, Crowd
from tests.integration.selfservice.ledger import Ledger, is_stranger, meta, origin_of, positions
from tests.integration.selfservice.quay import (
    BACKUPS,
    GROUP,
    HOME,
    NEEDED,
    RESTORES,
    Quay,
    controlling,
    prepared,
    status,
)

pytestmark = pytest.mark.asyncio

KINDS = (*NEEDED, "deletebackuprequests", "podvolumebackups", "podvolumerestores")
FOLLOWED = {
    "nonadminbackups": f"{GROUP}/nonadminbackups",
    "nonadminrestores": f"{GROUP}/nonadminrestores",
    "backups": BACKUPS,
    "restores": RESTORES,
    "deletebackuprequests": REQUESTS,
}
PAIRS = (
    ("nonadminbackups", BACKUPS, "veleroBackup", "nab"),
    ("nonadminrestores", RESTORES, "veleroRestore", "nar"),
)
DEEDS_OF_A_LIFE = 20


def adding(manager: Manager, client: Typed, events: Events) -> None:
    add_nab(manager, client, events, NabSettings(HOME))
    add_nar(manager, client, events, NarSettings(HOME))


@dataclass
class Voyage:
    """A cluster, those who live in it, and controllers that come and go."""

    kube: Cluster
    clock: FakeClock
    crowd: Crowd
    ledger: Ledger

    async def live(self, dice: random.Random, deeds: int) -> None:
        """Run the controllers until they crash, or all deeds are done and things are quiet."""
        stop = faults.Stop(dice.randrange(30), dice.choice(list(faults.Side)))
        async with faults.proxy(self.kube) as proxy, AsyncExitStack() as stack:
            if dice.random() < 0.5:
                proxy.inject(stop, faults.matches(write=True))
            port = Quay(self.kube, self.clock, proxy, adding)
            await stack.enter_async_context(
                controlling(proxy.url, self.clock, port.events, port.adding)
            )
            for _ in range(deeds):
                await self.crowd.act()
                await pause(dice.choice((0, 0, 0.002, 0.02)))
                if stop.reached.is_set():
                    break
            else:
                await self.settle(port, stop)
            if not stop.reached.is_set():
                await self.check()
            async with proxy.down():
                await stack.aclose()
            self.ledger.crashes += 1

    async def settle(self, port: Quay, stop: faults.Stop) -> None:
        """Wait until nothing more happens, though time passes."""
        for _ in range(4):
            if stop.reached.is_set():
                return
            await port.quiet()
            self.clock.advance(timedelta(seconds=7))
        if not stop.reached.is_set():
            await port.quiet()

    async def check(self) -> None:
        """See that all positions are right, and that nobody was touched."""
        for kind, path, field, mark in PAIRS:
            made = {meta(one)["name"]: one for one in await self.items(path)}
            places = positions(list(made.values()))
            for one in await self.items(FOLLOWED[kind]):
                assert FORGED not in str(status(one).get(field)), (one, self.crowd.deeds)
                self._check_position(one, made, places, (field, mark))
        for one in await self.items(BACKUPS):
            if is_stranger(one):
                known = self.ledger.strangers.get(meta(one)["uid"])
                assert known in (None, meta(one)["resourceVersion"]), one
        assert self.ledger.faults == [], self.crowd.deeds

    def _check_position(
        self, one: Object, made: dict[str, Object], places: dict[str, int], of: tuple[str, str]
    ) -> None:
        field, mark = of
        name = status(one).get(field, {}).get("nacuuid", "")
        is_own = name in made and origin_of(made[name], mark)[1] == meta(one)["uid"]
        is_loyal = not is_stranger(made.get(name)) and meta(one)["uid"] not in self.ledger.forged
        if status(one).get("phase") == "Created" and is_own and is_loyal:
            told = status(one).get("queueInfo", {}).get("estimatedQueuePosition")
            assert told == places[name], (one, places, self.crowd.deeds)

    async def items(self, path: str) -> list[Object]:
        found: list[Object] = (await self.kube.client.get(path))["items"]
        return found

    async def leave(self) -> None:
        """Delete all namespaces of people: none may hang, though no engine is at work."""
        async with faults.proxy(self.kube) as proxy:
            port = Quay(self.kube, self.clock, proxy, adding)
            async with port.running():
                self.ledger.leaving.update(SPACES)
                for name in SPACES:
                    await self.kube.client.delete(f"/api/v1/namespaces/{name}")
                for name in SPACES:
                    await port.gone(f"/api/v1/namespaces/{name}")
        assert self.ledger.faults == []


@asynccontextmanager
async def voyage(seed: int) -> AsyncIterator[Voyage]:
    clock, ledger = FakeClock(), Ledger()
    async with prepared(clock, KINDS) as kube, AsyncExitStack() as stack:
        crowd = Crowd(kube.client, clock, random.Random(seed), ledger)
        await crowd.prepare()
        for kind, path in FOLLOWED.items():
            await stack.enter_async_context(background(_follow(kube.client, kind, path, ledger)))
        yield Voyage(kube, clock, crowd, ledger)


async def _follow(client: Client, kind: str, path: str, ledger: Ledger) -> None:
    while True:
        async with aclosing(client.watch(path)) as events:
            async for event in events:
                ledger.hear(kind, event)


async def sail(seed: int, lives: int, deeds: int = DEEDS_OF_A_LIFE) -> None:
    dice = random.Random(seed + 1)
    async with voyage(seed) as one:
        for _ in range(lives):
            await one.live(dice, deeds)
        await one.leave()


@pytest.mark.parametrize("seed", [1, 2])
async def test_whatever_people_do_and_wherever_it_crashes_the_laws_hold(seed: int) -> None:
    await sail(seed, lives=5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 115))
async def test_the_laws_hold_on_long_voyages(seed: int) -> None:
    await sail(seed, lives=20)
