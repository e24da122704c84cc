"""Each NonAdminRestore knows where it stands, whatever happens to those before it."""

from datetime import timedelta

import pytest

from kedge.api.crd import crds
from kedge.kube.kind import Object
from kedge.testing import FakeClock
from tests.integration.eventually import pause
from tests.integration.selfservice.mooring import NARS, RESTORES, Mooring, mooring, position
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}
PERIOD = 5.0


async def line(port: Mooring, count: int) -> list[Object]:
    """Ask for restores one after the other."""
    found = []
    for number in range(count):
        await port.nar(f"r{number:02d}")
        found.append(await port.created(f"r{number:02d}"))
    return found


async def places(port: Mooring) -> list[int | None]:
    found = (await port.admin.get(NARS))["items"]
    return [position(one) for one in sorted(found, key=lambda one: str(one["metadata"]["name"]))]


async def until_places(port: Mooring, wanted: list[int | None]) -> None:
    """Wait until all positions are these."""
    for _ in range(1500):
        if await places(port) == wanted:
            return
        await pause(0.02)
    assert await places(port) == wanted


@pytest.mark.parametrize("kinds", KINDS)
async def test_positions_are_those_of_the_line_and_move_up(kinds: str) -> None:
    async with mooring(KINDS[kinds](), publish_seconds=0) as port, port.running():
        one, two, three, four = await line(port, 4)
        await until_places(port, [1, 2, 3, 4])
        await port.velero(one, phase="InProgress")
        await port.velero(two, phase="FailedValidation")
        await until_places(port, [1, 0, 2, 3])
        await port.velero(one, phase="Finalizing")
        await until_places(port, [1, 0, 1, 2])
        await port.velero(one, phase="Completed")
        await port.admin.delete(f"{RESTORES}/{three['status']['veleroRestore']['name']}")
        await until_places(port, [0, 0, 0, 1])
        await port.velero(four, phase="Failed")
        await until_places(port, [0, 0, 0, 0])


async def test_restores_of_administrators_are_in_the_line_too() -> None:
    async with mooring(publish_seconds=0) as port, port.running():
        admins = {"metadata": {"name": "admins"}, "spec": {"backupName": "b"}}
        kind = {"apiVersion": "velero.io/v1", "kind": "Restore"}
        await port.admin.create(RESTORES, {**kind, **admins})
        await port.quiet()
        await line(port, 1)
        await until_places(port, [2])
        await port.admin.delete(f"{RESTORES}/admins")
        await until_places(port, [1])


async def test_what_was_missed_is_told_after_a_restart() -> None:
    async with mooring(publish_seconds=0) as port:
        async with port.running():
            made = await line(port, 3)
            await until_places(port, [1, 2, 3])
        await port.velero(made[0], phase="Completed")
        async with port.running():
            await until_places(port, [0, 1, 2])


async def test_many_at_once_each_have_a_position_of_their_own() -> None:
    async with mooring(publish_seconds=0) as port:
        for number in range(30):
            await port.nar(f"r{number:02d}")
        async with port.running():
            for number in range(30):
                await port.created(f"r{number:02d}")
            await port.quiet()
            found = await places(port)
            assert sorted(one for one in found if one is not None) == list(range(1, 31))
            assert port.writes().count("POST restores") == 30
            assert len(port.writes()) == 4 * 30


async def test_progress_is_told_to_its_own_object_only() -> None:
    async with mooring(publish_seconds=0) as port, port.running():
        made = await line(port, 5)
        await port.velero(made[0], phase="InProgress")
        await port.quiet()
        since = len(port.proxy.calls)
        await port.velero(made[0], progress={"totalItems": 9, "itemsRestored": 1})
        await port.until("r00", lambda one: "itemsRestored" in str(one))
        await port.quiet()
        assert port.writes(since) == ["PUT nonadminrestores/status"]


async def test_the_first_ten_hear_at_once_and_the_others_together() -> None:
    async with mooring(publish_seconds=PERIOD) as port:
        clock = FakeClock()
        port.clock = clock
        async with port.running():
            made = await line(port, 15)
            await port.quiet()
            clock.advance(timedelta(seconds=PERIOD))
            await port.quiet()
            await port.velero(made[0], phase="Completed")
            await until_places(port, [0, *range(1, 15)])
            await port.quiet()
            since = len(port.proxy.calls)
            await port.velero(made[1], phase="Completed")
            await port.velero(made[2], phase="Completed")
            first: list[int | None] = [0, 0, 0, *range(1, 11)]
            await until_places(port, [*first, 13, 14])
            await port.quiet()
            assert await places(port) == [*first, 13, 14]
            clock.advance(timedelta(seconds=PERIOD))
            await until_places(port, [0, 0, 0, *range(1, 13)])
            await port.quiet()
            # Two ends, and what moved up: ten each time, and what was left of the line once.
            assert len(port.writes(since)) <= 2 + 10 + 10 + 4
