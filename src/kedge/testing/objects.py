"""Object storage that fails on purpose: give `FaultyStorage().open` to whoever opens buckets.

A fault meets requests by count, or all of them while a switch is on, never by chance. Below it is
real storage, such as a folder, so that what was done before a fault is really there.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from kedge.aio.clock import Clock, SystemClock
from kedge.objects.bucket import Bucket
from kedge.objects.errors import ObjectsError, Refused, StorageFull, Unreachable
from kedge.objects.open import Opener, Surroundings, open_bucket
from kedge.objects.place import Place
from kedge.testing.faults import Side


@dataclass
class Pause:
    """A request that is held up, as the store is when a process gets killed."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the request has come."""
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    """Set it to let the request go on; or cancel whoever made it."""


class FaultyStorage:
    """Opens buckets that fail as told; all of them share its switches and its count."""

    def __init__(self, opener: Opener = open_bucket, clock: Clock | None = None) -> None:
        """Put faults between callers and the buckets that this opens."""
        self._opener = opener
        self.clock = clock or SystemClock()
        self.down = False
        """No request gets an answer."""
        self.refused = False
        """The credentials are wrong."""
        self.slow_seconds = 0.0
        """Time of the clock that passes before each request is done."""
        self.room: int | None = None
        """Bytes that can still be stored; None is no end of them."""
        self.readable: int | None = None
        """Bytes of an object after which reading ends, as if that were all; None is all."""
        self.requests: list[str] = []
        """What was asked so far: a verb and a key."""
        self._errors: dict[tuple[int, Side], ObjectsError] = {}
        self._pauses: dict[tuple[int, Side], Pause] = {}

    def open(self, place: Place, surroundings: Surroundings) -> "FaultyBucket":
        """Open a bucket with faults; an `Opener`."""
        return FaultyBucket(self._opener(place, surroundings), self)

    def fail(self, nth: int, side: Side = Side.BEFORE, error: ObjectsError | None = None) -> None:
        """Let the n-th request from now, counted from 1, fail before or after it was done."""
        lost = error or Unreachable("the store went away, as the test wanted")
        self._errors[len(self.requests) + nth, side] = lost

    def pause(self, nth: int, side: Side = Side.BEFORE) -> Pause:
        """Hold up the n-th request from now, counted from 1, before or after it was done."""
        pause = self._pauses[len(self.requests) + nth, side] = Pause()
        return pause

    @asynccontextmanager
    async def request(self, what: str) -> AsyncIterator[None]:
        """Count a request, and do to it what was wanted."""
        self.requests.append(what)
        number = len(self.requests)
        if self.slow_seconds:
            await self.clock.sleep(self.slow_seconds)
        if self.down:
            raise Unreachable(f"{what}: the store is down, as the test wanted")
        if self.refused:
            raise Refused(f"{what}: wrong credentials, as the test wanted")
        await self._meet(number, Side.BEFORE)
        yield
        await self._meet(number, Side.AFTER)

    async def _meet(self, number: int, side: Side) -> None:
        pause = self._pauses.pop((number, side), None)
        if pause is not None:
            pause.reached.set()
            await pause.go_on.wait()
        error = self._errors.pop((number, side), None)
        if error is not None:
            raise error

    async def fill(self, data: bytes | AsyncIterable[bytes]) -> AsyncGenerator[bytes, None]:
        """Pass data on as long as there is room for it."""
        async for piece in _pieces(data):
            if self.room is not None:
                if len(piece) > self.room:
                    raise StorageFull("there is no room left, as the test wanted")
                self.room -= len(piece)
            yield piece


async def _pieces(data: bytes | AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    if isinstance(data, bytes):
        yield data
        return
    async for piece in data:
        yield piece


class FaultyBucket:
    """A bucket with faults before and after each request."""

    def __init__(self, bucket: Bucket, storage: FaultyStorage) -> None:
        """Put the faults of the storage around a bucket."""
        self.bucket = bucket
        self._storage = storage

    async def put(self, key: str, data: bytes | AsyncIterable[bytes]) -> None:
        """Store an object, if there is room."""
        async with self._storage.request(f"put {key}"), aclosing(self._storage.fill(data)) as full:
            await self.bucket.put(key, full)

    async def get(self, key: str) -> bytes:
        """Read an object whole, or what can be read of it."""
        async with self._storage.request(f"get {key}"):
            return (await self.bucket.get(key))[: self._storage.readable]

    async def read(self, key: str) -> AsyncGenerator[bytes, None]:
        """Read an object piece by piece, or what can be read of it."""
        async with self._storage.request(f"read {key}"):
            left = self._storage.readable
            async with aclosing(self.bucket.read(key)) as pieces:
                async for piece in pieces:
                    yield piece[:left]
                    if left is not None:
                        left -= min(left, len(piece))

    async def exists(self, key: str) -> bool:
        """Tell whether there is such an object."""
        async with self._storage.request(f"exists {key}"):
            return await self.bucket.exists(key)

    async def keys(self, folder: str = "") -> AsyncIterator[str]:
        """Go through the keys of all objects below a folder."""
        async with self._storage.request(f"keys {folder}"):
            found = [key async for key in self.bucket.keys(folder)]
        for key in found:
            yield key

    async def folders(self, folder: str = "") -> list[str]:
        """List the folders directly below a folder."""
        async with self._storage.request(f"folders {folder}"):
            return await self.bucket.folders(folder)

    async def delete(self, keys: Iterable[str]) -> None:
        """Delete objects, each with a request of its own."""
        for key in keys:
            async with self._storage.request(f"delete {key}"):
                await self.bucket.delete([key])

    async def sign(self, key: str, valid: timedelta, now: datetime) -> str:
        """Give a URL for an object."""
        async with self._storage.request(f"sign {key}"):
            return await self.bucket.sign(key, valid, now)

    async def close(self) -> None:
        """Close the bucket; no fault hinders that."""
        await self.bucket.close()
