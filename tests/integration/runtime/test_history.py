"""A watcher that comes back after the server has forgotten what happened meanwhile."""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from kedge.apiserver.app import ApiServer
from kedge.apiserver.settings import ServerSettings
from kedge.kube.errors import Expired
from kedge.testing import Client, FakeClock
from tests.integration.eventually import pause
from tests.integration.runtime.following import following, put
from tests.integration.runtime.servers import Server, real
from tests.integration.runtime.wires import Wire
from tests.real_cluster import RealCluster, Setup, find, running

Forget = Callable[[], Awaitable[None]]
"""Lets time pass in which a server forgets."""
FORGETFUL = Setup(flags=("--watch-cache=false", "--etcd-compaction-interval=1s"))


@asynccontextmanager
async def forgetful_embedded() -> AsyncIterator[tuple[Server, Forget]]:
    """Run a server whose time passes as a test wants."""
    clock = FakeClock()
    async with ApiServer(ServerSettings(), clock) as server:
        ca, address = server.address.pki.path("ca.crt"), server.address

        async def forget() -> None:
            clock.advance(timedelta(minutes=6))
            await server.parts.history.tick()

        tls = ssl.create_default_context(cafile=str(ca))
        async with Client(address.url, address.token, tls) as client:
            yield Server(address.url, ca, address.token, client), forget


@asynccontextmanager
async def forgetful_real(found: RealCluster) -> AsyncIterator[tuple[Server, Forget]]:
    async with real(found) as server:
        yield server, lambda: pause(0.1)


async def is_forgotten(server: Server, version: str) -> bool:
    """Tell whether a watch can not go on from a version any more."""
    watch = server.plain.watch(
        "/api/v1/configmaps",
        resourceVersion=version,
        timeoutSeconds="1",
        allowWatchBookmarks="true",
    )
    try:
        first = await anext(watch, None)
    except Expired:
        return True
    finally:
        await watch.aclose()
    return first is not None and first.type == "ERROR"


async def come_back(server: Server, forget: Forget) -> None:
    """Follow, lose the connection, and find it again when all has been forgotten."""
    namespace = await server.namespace()
    for name in ("a", "b"):
        await put(server, namespace, name, {"n": "1"})
    async with Wire(server.url) as wire, following(server, namespace, url=wire.url) as seen:
        await seen.until_data({"a": {"n": "1"}, "b": {"n": "1"}})
        wire.cut()
        await server.plain.delete(f"/api/v1/namespaces/{namespace}/configmaps/b")
        made = await put(server, namespace, "a", {"n": "2"})
        await put(server, namespace, "c", {"n": "2"})
        async with asyncio.timeout(30):
            while not await is_forgotten(server, made["metadata"]["resourceVersion"]):
                await put(server, namespace, "tick", {"n": "1"})
                await forget()
        await server.plain.delete(f"/api/v1/namespaces/{namespace}/configmaps/tick")
        wire.mend()
        await seen.until_data({"a": {"n": "2"}, "c": {"n": "2"}})
        assert seen.woken["b"] is None
        await put(server, namespace, "c", {"n": "3"})
        await seen.until_data({"a": {"n": "2"}, "c": {"n": "3"}})


def began_anew(caplog: pytest.LogCaptureFixture) -> bool:
    """Tell whether the watcher heard that its version is too old."""
    errors = [record.__dict__.get("error", "") for record in caplog.records]
    return any("too old" in error or "compacted" in error for error in errors)


@pytest.mark.asyncio
async def test_what_was_forgotten_is_found_by_a_new_list(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "kedge.runtime")
    async with forgetful_embedded() as (server, forget):
        await come_back(server, forget)
    assert began_anew(caplog)


@pytest.mark.asyncio
async def test_what_a_real_server_has_forgotten_is_found_by_a_new_list(
    forgetful: RealCluster, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "kedge.runtime")
    async with forgetful_real(forgetful) as (server, forget):
        await come_back(server, forget)
    assert began_anew(caplog)


@pytest.fixture
def forgetful(
    real_cluster: RealCluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealCluster]:
    """A real server of its own, which forgets within seconds; where there is one at all."""
    with running(find(), tmp_path_factory.mktemp("forgetful"), FORGETFUL) as found:
        yield found
