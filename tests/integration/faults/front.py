"""What tests of the proxy share: a cluster behind it, and a client that shows each byte."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from kedge.testing import Client, Event, cluster, faults

CONFIGS = "/api/v1/namespaces/default/configmaps"
WRITES = faults.matches(write=True)
WATCHES = faults.matches(watch=True)
LISTS = faults.matches(verb="list")
PATIENCE = 30.0


@asynccontextmanager
async def front() -> AsyncIterator[tuple[faults.Proxy, Client, Client]]:
    """Give a proxy, a client of it, and a client that goes to the server itself."""
    async with cluster() as kube, faults.proxy(kube) as proxy, proxy.client() as client:
        yield proxy, client, kube.client


def config(name: str, **data: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "data": data}


async def make(client: Client, *names: str) -> None:
    for name in names:
        await client.create(CONFIGS, config(name))


async def names(client: Client) -> list[str]:
    return [one["metadata"]["name"] for one in (await client.get(CONFIGS))["items"]]


def told(event: Event) -> tuple[str, str]:
    return event.type, event.object["metadata"].get("name", "")


async def take(client: Client, count: int, **query: str) -> list[tuple[str, str]]:
    """Give the first events of a watch, and end it."""
    found = []
    watch = client.watch(CONFIGS, **query)
    async for event in watch:
        found.append(told(event))
        if len(found) == count:
            break
    await watch.aclose()
    return found


@asynccontextmanager
async def connected(
    proxy: faults.Proxy,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a connection on which nothing is hidden."""
    host, _, port = proxy.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        async with asyncio.timeout(PATIENCE):
            yield reader, writer
    finally:
        writer.transport.abort()


def head(line: str, *fields: str) -> bytes:
    return "\r\n".join([line, "Host: x", *fields, "", ""]).encode()


async def everything(proxy: faults.Proxy, request: bytes) -> bytes:
    """Send a request, and read until the connection ends."""
    async with connected(proxy) as (reader, writer):
        writer.write(request)
        return await reader.read()
