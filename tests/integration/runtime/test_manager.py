"""The sample controller from end to end, at the embedded server and at a real one."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from kedge.aio.background import background
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from tests.integration.eventually import eventually, pause
from tests.integration.runtime.fleet import (
    CLIENT_SETTINGS,
    CRD,
    FLEET,
    a_fleet,
    manager_for,
    sailing,
)
from tests.integration.runtime.servers import Server, embedded, real

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAME = CRD["metadata"]["name"]


@pytest_asyncio.fixture(params=["embedded", "real"])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[Server]:
    """Give a server that knows no fleets; what a test has made is gone afterwards."""
    if request.param == "embedded":
        async with embedded() as found:
            yield found
        return
    async with real(request.getfixturevalue("real_cluster")) as found:
        yield found
        try:
            await found.plain.delete(f"{CRDS}/{NAME}")
        except NotFound:
            return
        while await exists(found, f"{CRDS}/{NAME}"):
            await pause(0.05)


async def exists(server: Server, path: str) -> bool:
    try:
        await server.plain.get(path)
    except NotFound:
        return False
    return True


async def define(server: Server) -> None:
    """Make the kind, and wait until its objects can be made."""
    await server.plain.create(CRDS, CRD)
    await server.plain.until(f"{CRDS}/{NAME}", is_established)


def is_established(crd: Object) -> bool:
    conditions = crd.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


class Harbour:
    """The fleets and boats of one namespace."""

    def __init__(self, server: Server, namespace: str) -> None:
        self.plain = server.plain
        self.namespace = namespace
        self.fleets = f"{FLEET.root}/namespaces/{namespace}/fleets"
        self.boats = f"/api/v1/namespaces/{namespace}/configmaps"

    async def build(self, name: str, size: int) -> None:
        """Make a fleet; a kind that is brand new may not be served at once."""
        fleet = {"apiVersion": FLEET.api_version, "kind": FLEET.name, **a_fleet(name, size)}
        fleet["metadata"]["namespace"] = self.namespace
        async with asyncio.timeout(30):
            while True:
                try:
                    await self.plain.create(self.fleets, fleet)
                except NotFound:
                    await pause(0.05)
                else:
                    return

    async def until_boats(self, name: str, count: int) -> None:
        """Wait until a fleet tells of so many boats of its last version."""

        def holds(one: Object) -> bool:
            status = {"boats": count, "observedGeneration": one["metadata"]["generation"]}
            return one.get("status") == status

        await self.plain.until(f"{self.fleets}/{name}", holds)

    async def colours(self) -> dict[str, str]:
        """Give the colour of each boat."""
        boats = (await self.plain.get(self.boats))["items"]
        return {
            one["metadata"]["name"]: one["data"]["colour"]
            for one in boats
            if "colour" in one.get("data", {})
        }

    async def until_gone(self, name: str) -> None:
        """Wait until a fleet is not there any more."""
        async with asyncio.timeout(30):
            while True:
                try:
                    await self.plain.get(f"{self.fleets}/{name}")
                except NotFound:
                    return
                await pause(0.02)


async def harbour(server: Server) -> Harbour:
    return Harbour(server, await server.namespace())


@pytest.mark.asyncio
async def test_fleets_are_built_painted_shrunk_and_sunk(server: Server) -> None:
    await define(server)
    port = await harbour(server)
    await port.build("north", 3)
    async with sailing(server.url, server.token, server.ca.read_bytes()):
        await port.build("south", 2)
        await port.until_boats("north", 3)
        await port.until_boats("south", 2)
        assert set((await port.colours()).values()) == {"white"}
        await port.plain.patch(f"{port.fleets}/north", {"spec": {"size": 1, "colour": "red"}})
        await port.until_boats("north", 1)
        white = {"south-0": "white", "south-1": "white"}
        assert await port.colours() == {"north-0": "red", **white}
        await port.plain.delete(f"{port.boats}/north-0")
        await port.plain.until(f"{port.boats}/north-0", lambda one: one["data"]["colour"] == "red")
        await port.plain.delete(f"{port.fleets}/north")
        await port.until_gone("north")
        assert await port.colours() == white
        await port.plain.delete(f"{port.fleets}/south")
        await port.until_gone("south")
    assert await port.colours() == {}


@pytest.mark.asyncio
async def test_what_changed_while_no_manager_ran_is_made_good(server: Server) -> None:
    await define(server)
    port = await harbour(server)
    await port.build("north", 2)
    async with sailing(server.url, server.token, server.ca.read_bytes()):
        await port.until_boats("north", 2)
    await port.plain.delete(f"{port.boats}/north-0")
    await port.plain.patch(f"{port.fleets}/north", {"spec": {"size": 4}})
    await port.build("south", 1)
    async with sailing(server.url, server.token, server.ca.read_bytes()):
        await port.until_boats("north", 4)
        await port.until_boats("south", 1)
        assert len(await port.colours()) == 5
        for name in ("north", "south"):
            await port.plain.delete(f"{port.fleets}/{name}")
            await port.until_gone(name)


@pytest.mark.asyncio
async def test_a_manager_waits_for_a_kind_that_is_not_installed_yet(server: Server) -> None:
    port = await harbour(server)
    async with server.client(CLIENT_SETTINGS) as client:
        manager = manager_for(client)
        async with background(manager.run()):
            await eventually(lambda: manager.unsynced == ["fleets.sea.example.com"])
            await define(server)
            await port.build("north", 2)
            await port.until_boats("north", 2)
            assert manager.unsynced == []
            await port.plain.delete(f"{port.fleets}/north")
            await port.until_gone("north")


@pytest.mark.asyncio
async def test_a_manager_that_is_told_to_stop_ends(server: Server) -> None:
    await define(server)
    port = await harbour(server)
    async with server.client(CLIENT_SETTINGS) as client:
        manager = manager_for(client)
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            group.create_task(manager.run())
            await eventually(lambda: manager.unsynced == [])
            await port.build("north", 1)
            await port.until_boats("north", 1)
            manager.stop()
    await port.plain.patch(f"{port.fleets}/north", {"metadata": {"finalizers": None}})
