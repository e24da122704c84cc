"""A plain client: paths in, objects out, a Status as an exception."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import msgspec

from kedge.aio.closing import Closing
from kedge.client.http import Transport
from kedge.client.lines import Lines
from kedge.client.requests import JSON, Request
from kedge.client.responses import check
from kedge.client.retry import Retrying
from kedge.client.settings import ClientSettings
from kedge.client.where import Access, Login

Object = dict[str, Any]
MERGE = "application/merge-patch+json"
PRESENT = ("ADDED", "MODIFIED")
PATIENCE = 30.0
"""Seconds to wait for what a test expects."""
SETTINGS = ClientSettings(
    per_second=0,
    answer_seconds=300,
    deadline_seconds=300,
    connections=0,
    user_agent="kedge-testing",
    retrying=Retrying(attempts=1),
)
"""A test wants to see what happens, not what happens at the second try."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a watch."""

    type: str
    object: Object


@dataclass(frozen=True, slots=True)
class _Fixed:
    """Credentials that never change."""

    it: Login

    async def login(self) -> Login:
        return self.it

    def refused(self, login: Login | None = None) -> bool:
        return False


_decoder = msgspec.json.Decoder(Event)


class Client(Closing):
    """Speaks to one API server with one bearer token, or with a client certificate in `tls`."""

    def __init__(self, url: str, token: str, tls: ssl.SSLContext) -> None:
        """Connect when it is first used; close it, or use it as a context manager."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        login = Login(headers, tls if url.startswith("https:") else None)
        self.url = url
        self.warnings: list[str] = []
        """What the server warned of in its last answer."""
        self._transport = Transport(Access(url, _Fixed(login), "default"), SETTINGS)
        self._transport.warn = _heard

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def get(self, path: str, **query: str) -> Object:
        """Read an object or a list."""
        return await self.request("GET", path, query=query)

    async def create(self, path: str, obj: Object, **query: str) -> Object:
        """Post an object to a collection."""
        return await self.request("POST", path, msgspec.json.encode(obj), query=query)

    async def replace(self, path: str, obj: Object, **query: str) -> Object:
        """Put an object in place of another one."""
        return await self.request("PUT", path, msgspec.json.encode(obj), query=query)

    async def patch(self, path: str, patch: Any, media: str = MERGE, **query: str) -> Object:
        """Change an object; `media` says what kind of patch it is."""
        return await self.request("PATCH", path, msgspec.json.encode(patch), media, query)

    async def delete(self, path: str, **query: str) -> Object:
        """Delete an object or a collection."""
        return await self.request("DELETE", path, query=query)

    async def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        media: str = JSON,
        query: dict[str, str] | None = None,
    ) -> Object:
        """Send one request; raise the ApiError that a Status tells of."""
        response = await self._transport.send(Request(method, path, query or {}, body, media))
        self.warnings = list(response.warnings)
        raw = check(response).body
        return msgspec.json.decode(raw, type=Object) if raw else {}

    async def until(
        self, path: str, holds: Callable[[Object], bool], seconds: float = PATIENCE
    ) -> Object:
        """Follow one object until something holds of it, and return it; raises TimeoutError."""
        folder, _, name = path.rpartition("/")
        async with asyncio.timeout(seconds):
            while True:
                async with aclosing(
                    self.watch(folder, fieldSelector=f"metadata.name={name}")
                ) as events:
                    async for event in events:
                        if event.type in PRESENT and holds(event.object):
                            return event.object

    async def watch(self, path: str, **query: str) -> AsyncGenerator[Event, None]:
        """Follow a collection until the server ends the watch."""
        request = Request("GET", path, {"watch": "true", **query})
        lines = Lines()
        async with self._transport.open(request) as stream:
            while piece := await stream.read():
                for line in lines.feed(piece).split(b"\n"):
                    if line:
                        yield _decoder.decode(line)


def _heard(warning: str) -> None:
    """Leave it to the test to look."""
