"""One run through all cases: each API server is fresh, and each size has a process of its own."""

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from kedge.api.crd import crds
from parts.api.client import Request, connected
from parts.api.servers import Target
from parts.engine.cases import Station, back_up, bring_back, empty, queue
from parts.engine.contestants import kedge, velero
from parts.engine.load import (
    CLOCK,
    POLL_SECONDS,
    collection,
    deployment,
    fill,
    folder_location,
    introduce,
    make,
    namespace,
    s3_location,
)
from parts.engine.meter import Meter
from parts.engine.plan import FOLDER, KEDGE, S3, SPREAD, VELERO
from parts.engine.result import Result, Where
from tests.velero.programs import VeleroPrograms
from tests.velero.s3 import S3Server
from tests.velero.server import Velero

NOTHING = "nothing"
SPACES = [f"{NOTHING}-{number}" for number in range(SPREAD)]
PATIENCE = 300.0
AVAILABLE_SECONDS = 120.0
Serving = Callable[[str], AbstractContextManager[Meter]]
"""Runs a contestant for a namespace."""


@dataclass(frozen=True)
class Run:
    """What takes part on one API server."""

    result: Result
    target: Target
    s3: S3Server

    async def kedge(self) -> None:
        """Measure ours, with both places for files."""
        await introduce(self.target, crds())
        await self._fill()
        with tempfile.TemporaryDirectory(prefix="bench-objects-") as folder:

            def serving(space: str) -> AbstractContextManager[Meter]:
                return kedge(self.target, space, Path(folder))

            for store in (S3, FOLDER):
                await self._all(Where(KEDGE, self.target.name, store), serving)

    async def velero(self, programs: VeleroPrograms, work: Path) -> None:
        """Measure Velero, which has no place for files but a bucket."""
        await introduce(self.target, Velero(programs, work / "none", work).crds())
        await self._fill()

        def serving(space: str) -> AbstractContextManager[Meter]:
            return velero(self.target, space, programs)

        await self._all(Where(VELERO, self.target.name, S3), serving)

    async def _fill(self) -> None:
        await make(self.target, [namespace(name) for name in (NOTHING, *SPACES)])
        for size in self.result.effort.sizes:
            say(f"{self.target.name}: {size:,} ConfigMaps")
            await fill(self.target, f"items-{size}", size)

    async def _all(self, where: Where, serving: Serving) -> None:
        effort = self.result.effort
        for size in effort.sizes:
            say(f"{where}: {size:,} objects")
            async with self._station(where, f"{size}", serving) as station:
                await self._bulk(where, station, size)
        say(f"{where}: empty backups, one after the other and {effort.queued:,} at once")
        async with self._station(where, "empty", serving) as station:
            self.result.empties[where] = await empty(station, NOTHING, effort.empties)
        async with self._station(where, "queue", serving) as station:
            patience = effort.velero_queue_seconds if where.who == VELERO else PATIENCE
            self.result.queues[where] = await queue(station, [NOTHING], effort.queued, patience)
        if where.who == VELERO:
            return
        async with self._station(where, "spread", serving) as station:
            self.result.spreads[where] = await queue(station, SPACES, effort.queued, PATIENCE)

    async def _bulk(self, where: Where, station: Station, size: int) -> None:
        source = f"items-{size}"
        found = await back_up(station, "all", source, size)
        self.result.backups.setdefault(where, {})[size] = found
        if where.who == VELERO and size > self.result.effort.velero_restores:
            return
        beside = f"{source}-{where.store.lower()}-again"
        back = await bring_back(station, "all", source, beside, size)
        self.result.restores.setdefault(where, {})[size] = back

    @asynccontextmanager
    async def _station(self, where: Where, case: str, serving: Serving) -> AsyncIterator[Station]:
        """Make a namespace with a location, and run a contestant that works for it."""
        space = f"{where.who}-{where.store.lower()}-{case}"
        prefix = f"{where.server}-{space}"
        location = (
            s3_location(space, self.s3, prefix)
            if where.store == S3
            else folder_location(space, prefix)
        )
        await make(self.target, [namespace(space), deployment(space), *location])
        with serving(space) as meter:
            await self._available(space)
            yield Station(self.target, space, meter)

    async def _available(self, space: str) -> None:
        """Wait until the contestant has found its location to be there."""
        path = f"{collection(space, 'backupstoragelocations')}/default"
        async with connected(self.target, 1) as client, asyncio.timeout(AVAILABLE_SECONDS):
            while True:
                found = json.loads(await client.ask(Request("GET", path)))
                if found.get("status", {}).get("phase") == "Available":
                    return
                await CLOCK.sleep(POLL_SECONDS)


def say(text: str) -> None:
    """Show what takes so long."""
    sys.stderr.write(f"\r\033[K{text}\r" if sys.stderr.isatty() else f"{text}\n")
