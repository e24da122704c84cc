"""A plain client: paths in, objects out, a Status as an exception."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import aiohttp
import msgspec

from kedge.kube.errors import ApiError

Object = dict[str, Any]
JSON = "application/json"
MERGE = "application/merge-patch+json"
PRESENT = ("ADDED", "MODIFIED")
PATIENCE = 30.0
"""Seconds to wait for what a test expects."""
BEGINNING = 256
"""Characters of an answer that is no Status, as the message of its error."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a watch."""

    type: str
    object: Object


class Client:
    """Speaks to one API server with one bearer token, or with a client certificate in `tls`."""

    def __init__(self, url: str, token: str, tls: ssl.SSLContext) -> None:
        """Connect when it is first used; close it, or use it as a context manager."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers["User-Agent"] = "kedge-testing"
        self.url = url
        self.warnings: list[str] = []
        """Warning headers of the last answer."""
        connector = aiohttp.TCPConnector(ssl=tls, limit=0)
        self._session = aiohttp.ClientSession(url, headers=headers, connector=connector)

    async def __aenter__(self) -> "Client":
        """Use it as a context manager."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()

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
        headers = {"Content-Type": media} if body is not None else {}
        async with self._session.request(
            method, path, data=body, headers=headers, params=query or {}
        ) as response:
            raw = await response.read()
            self.warnings = response.headers.getall("Warning", [])
            if response.status >= 400:
                raise error_of(response.status, raw)
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
        query = {"watch": "true", **query}
        timeout = aiohttp.ClientTimeout(total=None)
        async with self._session.get(path, params=query, timeout=timeout) as response:
            if response.status >= 400:
                raise error_of(response.status, await response.read())
            connection = response.connection
            rest = b""
            try:
                async for chunk in response.content.iter_any():
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in lines:
                        yield msgspec.json.decode(line, type=Event)
            finally:
                # Without a farewell, which would still be under way when the event loop ends.
                if connection is not None and connection.transport is not None:
                    connection.transport.abort()


def error_of(code: int, raw: bytes) -> ApiError:
    """Make the error that an answer tells of."""
    try:
        status = msgspec.json.decode(raw, type=Object)
    except msgspec.DecodeError:
        status = {}
    if status.get("kind") == "Status":
        return ApiError.from_status(status)
    text = raw.decode(errors="replace").strip()[:BEGINNING]
    return ApiError.from_status({"code": code, "message": text})
