"""One location at most is the default: the newest, or the one that the server was told of."""

from pathlib import Path
from typing import Any

import pytest

from kedge.controllers.location import controller as locations
from kedge.controllers.location.controller import LocationSettings
from tests.integration.controllers.storehouse import LOCATIONS, Adder, Parts, Storehouse, storehouse
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

NEEDS = ("backupstoragelocations",)


def add(**settings: Any) -> Adder:
    """Add the controller."""

    def to(parts: Parts) -> None:
        wanted = LocationSettings(**settings)
        locations.add_to(parts.manager, parts.client, parts.events, wanted, parts.stores)

    return to


async def defaults(port: Storehouse) -> list[str]:
    """Name the locations that are the default."""
    found = (await port.kube.client.get(LOCATIONS))["items"]
    return [one["metadata"]["name"] for one in found if one["spec"].get("default")]


@pytest.mark.parametrize("kinds", [None, stock_crds()], ids=["our kinds", "a stock Velero's"])
async def test_of_several_defaults_the_newest_stays(kinds: Any, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS, kinds) as port:
        for name in ("c", "a", "b"):
            await port.location(name, default=True)
            await port.pass_time(seconds=1)
        async with port.working(add()):
            await port.quiet()
            assert await defaults(port) == ["b"]
            assert sorted(port.events.reasons) == ["Available"] * 3 + ["DefaultUnset"] * 2


async def test_a_new_default_takes_over(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        await port.location("old", default=True)
        await port.pass_time(seconds=1)
        await port.location("new", default=True)
        await port.quiet()
        assert await defaults(port) == ["new"]


async def test_an_older_location_can_not_become_the_default_beside_a_newer_one(
    tmp_path: Path,
) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        await port.location("old")
        await port.pass_time(seconds=1)
        await port.location("new", default=True)
        await port.quiet()
        await port.kube.client.patch(f"{LOCATIONS}/old", {"spec": {"default": True}})
        await port.quiet()
        assert await defaults(port) == ["new"]


async def test_of_the_same_second_the_first_by_name_stays(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        for name in ("b", "a", "c"):
            await port.location(name, default=True)
        await port.quiet()
        assert await defaults(port) == ["a"]


async def test_who_is_the_default_is_no_reason_to_look_again(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        await port.location("one")
        await port.pass_time(seconds=5)
        before = len(port.writes())
        await port.kube.client.patch(f"{LOCATIONS}/one", {"spec": {"default": True}})
        await port.quiet()
        assert len(port.writes()) == before


async def test_the_server_makes_a_location_the_default_at_its_start(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.location("default")
        await port.location("other")
        async with port.working(add(default_location="default")):
            await port.quiet()
            assert await defaults(port) == ["default"]
            await port.kube.client.patch(f"{LOCATIONS}/default", {"spec": {"default": False}})
            await port.pass_time(minutes=5)
            assert await defaults(port) == []
        async with port.working(add(default_location="default")):
            await port.quiet()
            assert await defaults(port) == ["default"]


async def test_the_servers_location_takes_over_from_an_older_default(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.location("older", default=True)
        await port.pass_time(seconds=1)
        await port.location("default")
        async with port.working(add(default_location="default")):
            await port.quiet()
            assert await defaults(port) == ["default"]


async def test_the_servers_location_gives_way_to_a_newer_default_without_a_write(
    tmp_path: Path,
) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.location("default")
        await port.pass_time(seconds=1)
        await port.location("newer", default=True)
        async with port.working(add(default_location="default")):
            await port.quiet()
            assert await defaults(port) == ["newer"]
            assert len(port.writes()) == 2  # one look at each


async def test_a_location_that_comes_after_the_start_is_left_alone(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.location("first")
        async with port.working(add(default_location="default")):
            await port.location("default")
            await port.quiet()
            assert await defaults(port) == []
