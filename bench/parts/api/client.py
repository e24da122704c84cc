"""One aiohttp client for both servers: requests in parallel, and the CPU they cost the server."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import aiohttp

from parts.api.process import cpu_seconds
from parts.api.servers import Target

MERGE_PATCH = "application/merge-patch+json"


class Refused(Exception):
    """A server answered something else than the benchmark counts on."""


@dataclass(frozen=True)
class Sample:
    """So many answers, the seconds they took, and the CPU seconds they cost the server."""

    count: int
    seconds: float
    cpu_seconds: float

    @property
    def rate(self) -> float:
        """Give the answers per second."""
        return self.count / self.seconds

    @property
    def cost(self) -> float:
        """Give the server's CPU seconds per answer."""
        return self.cpu_seconds / self.count


@dataclass(frozen=True)
class Request:
    """One thing to ask."""

    method: str
    path: str
    body: bytes | None = None
    content_type: str = "application/json"


class Client:
    """Talks to one server."""

    def __init__(self, target: Target, session: aiohttp.ClientSession) -> None:
        self.target = target
        self._session = session

    async def ask(self, request: Request) -> bytes:
        """Send one request and read the whole answer."""
        headers = {"Content-Type": request.content_type} if request.body is not None else {}
        async with self._session.request(
            request.method, self.target.url + request.path, data=request.body, headers=headers
        ) as answer:
            body = await answer.read()
            if answer.status >= 300:
                raise Refused(f"{request.method} {request.path}: {body[:300]!r}")
            return body

    async def timed(self, requests: Iterable[Request], connections: int) -> Sample:
        """Send all requests, so many at a time."""
        todo = list(requests)
        queue = iter(todo)

        async def worker() -> None:
            for request in queue:
                await self.ask(request)

        with self.meter(len(todo)) as taken:
            async with asyncio.TaskGroup() as group:
                for _ in range(connections):
                    group.create_task(worker())
        return taken[0]

    @contextlib.contextmanager
    def meter(self, count: int) -> Iterator[list[Sample]]:
        """Time a block; the list has the sample when it is left."""
        taken: list[Sample] = []
        cpu, begin = cpu_seconds(self.target.pids), perf_counter()
        yield taken
        took = perf_counter() - begin
        taken.append(Sample(count, took, cpu_seconds(self.target.pids) - cpu))

    async def lines(self, path: str) -> AsyncGenerator[bytes, None]:
        """Follow a watch, line by line."""
        patience = aiohttp.ClientTimeout(total=None)
        async with self._session.get(
            self.target.url + path, raise_for_status=True, timeout=patience
        ) as answer:
            async for line in answer.content:
                yield line

    async def watch(self, path: str, lines: int, opened: asyncio.Event) -> None:
        """Follow a watch until it gave so many events; says when the server has accepted it."""
        async with self._session.get(self.target.url + path) as answer:
            if answer.status != 200:
                raise Refused(f"GET {path}: {await answer.text()}")
            opened.set()
            async for chunk in answer.content.iter_any():
                lines -= chunk.count(b"\n")
                if lines <= 0:
                    return
        raise Refused(f"the watch on {path} ended {lines} events early")


@contextlib.asynccontextmanager
async def connected(
    target: Target, connections: int, encoding: str = "identity"
) -> AsyncIterator[Client]:
    """Open a client that keeps so many connections; encoding is the Accept-Encoding it sends."""
    connector = aiohttp.TCPConnector(limit=connections, ssl=target.tls)
    headers = {**target.headers, "Accept": "application/json", "Accept-Encoding": encoding}
    timeout = aiohttp.ClientTimeout(total=None, sock_read=120)
    async with aiohttp.ClientSession(
        connector=connector, headers=headers, timeout=timeout
    ) as session:
        yield Client(target, session)


def encoded(value: Any) -> bytes:
    """Write a body."""
    return json.dumps(value, separators=(",", ":")).encode()
