"""Where backups stand in the line: exact, told soon, and written only where it has changed."""

import pytest

from kedge.controllers.nab.wiring import NabSettings
from kedge.kube.kind import Object
from kedge.selfservice.publish import Publishing
from tests.integration.selfservice.pilot import (
    BACKUPS,
    HOME,
    Pilot,
    is_phase,
    nabs,
    nacuuid,
    pilot,
    position,
    status,
)

pytestmark = pytest.mark.asyncio

SHORT = NabSettings(HOME, workers=2, publishing=Publishing(first=3, period_seconds=5.0))


async def positions(port: Pilot) -> dict[str, int | None]:
    found = (await port.kube.client.get(nabs()))["items"]
    return {one["metadata"]["name"]: position(one) for one in found}


async def line_of(port: Pilot, count: int) -> dict[str, str]:
    """Make some, one after the other; give the names of their Velero Backups."""
    made = {}
    for number in range(count):
        name = f"n{number}"
        await port.ask(name)
        made[name] = nacuuid(await port.until(name, is_phase("Created")))
    return made


async def run(port: Pilot, name: str, phase: str, **more: str) -> None:
    await port.set_status(f"{BACKUPS}/{name}", {"phase": phase, **more})


def admins(name: str) -> Object:
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {"name": name},
        "spec": {"includedNamespaces": ["kube-system"]},
    }


async def test_each_stands_behind_those_that_were_before_it() -> None:
    async with pilot() as port, port.running():
        await port.kube.client.create(BACKUPS, admins("of-the-admin"))
        await port.quiet()
        made = await line_of(port, 3)
        assert await positions(port) == {"n0": 2, "n1": 3, "n2": 4}
        await port.finish_of("of-the-admin")
        await port.pass_time(seconds=6)
        assert await positions(port) == {"n0": 1, "n1": 2, "n2": 3}
        await run(port, made["n0"], "InProgress")
        await port.pass_time(seconds=6)
        assert await positions(port) == {"n0": 1, "n1": 2, "n2": 3}
        await run(port, made["n0"], "Finalizing")
        await port.pass_time(seconds=6)
        assert await positions(port) == {"n0": 1, "n1": 1, "n2": 2}
        await run(port, made["n0"], "Completed")
        await run(port, made["n1"], "FailedValidation")
        await port.pass_time(seconds=6)
        assert await positions(port) == {"n0": 0, "n1": 0, "n2": 1}


async def test_a_backup_that_is_deleted_leaves_the_line() -> None:
    async with pilot() as port, port.running():
        made = await line_of(port, 3)
        await port.kube.client.delete(f"{BACKUPS}/{made['n0']}")
        await port.pass_time(seconds=6)
        assert await positions(port) == {"n0": 0, "n1": 1, "n2": 2}


async def test_the_first_are_told_at_once_and_the_others_together() -> None:
    async with pilot() as port, port.running(SHORT):
        made = await line_of(port, 8)
        await port.pass_time(seconds=6)
        await run(port, made["n0"], "Completed")  # all are told, and the time begins
        await port.quiet()
        assert list((await positions(port)).values()) == [0, 1, 2, 3, 4, 5, 6, 7]
        before = len(port.proxy.calls)
        await run(port, made["n1"], "Completed")
        await port.quiet()
        assert list((await positions(port)).values()) == [0, 0, 1, 2, 3, 5, 6, 7]
        await run(port, made["n2"], "Completed")
        await port.quiet()
        assert list((await positions(port)).values()) == [0, 0, 0, 1, 2, 3, 6, 7]
        await port.pass_time(seconds=5)
        assert list((await positions(port)).values()) == [0, 0, 0, 1, 2, 3, 4, 5]
        # Two that ended, three at the head each time, and the two behind once.
        assert len(port.writes(before)) == 2 + 3 + 3 + 2


async def test_progress_touches_nobody_else() -> None:
    async with pilot() as port, port.running():
        made = await line_of(port, 4)
        await run(port, made["n0"], "InProgress")
        await port.pass_time(seconds=6)
        before = len(port.proxy.calls)
        for done in range(3):
            change = {"phase": "InProgress", "progress": {"totalItems": 9, "itemsBackedUp": done}}
            await port.set_status(f"{BACKUPS}/{made['n0']}", change)
            await port.pass_time(seconds=6)
        assert set(port.writes(before)) == {"PUT n0/status"}


async def test_the_numbers_of_the_servers_own_queue_are_copied_together() -> None:
    async with pilot() as port, port.running():
        made = await line_of(port, 2)
        for number, name in enumerate(made.values(), 1):
            await run(port, name, "Queued")
            await port.set_status(f"{BACKUPS}/{name}", {"queuePosition": number})
        await port.pass_time(seconds=6)
        before = len(port.proxy.calls)
        await port.set_status(f"{BACKUPS}/{made['n1']}", {"queuePosition": 7})
        await port.set_status(f"{BACKUPS}/{made['n1']}", {"queuePosition": 8})
        await port.pass_time(seconds=6)
        one = await port.get("n1")
        assert status(one)["veleroBackup"]["status"]["queuePosition"] == 8
        assert 1 <= len(port.writes(before)) <= 2
        await port.set_status(f"{BACKUPS}/{made['n1']}", {"queuePosition": 1})
        await port.set_status(f"{BACKUPS}/{made['n0']}", {"queuePosition": 2})
        await port.pass_time(seconds=6)
        assert await positions(port) == {"n0": 2, "n1": 1}


async def test_a_restart_tells_what_has_changed_meanwhile_and_nothing_else() -> None:
    async with pilot() as port:
        async with port.running():
            made = await line_of(port, 4)
        await run(port, made["n1"], "Completed")
        before = len(port.proxy.calls)
        async with port.running():
            await port.quiet()
        assert await positions(port) == {"n0": 1, "n1": 0, "n2": 2, "n3": 3}
        assert sorted(port.writes(before)) == [f"PUT n{n}/status" for n in (1, 2, 3)]
        before = len(port.proxy.calls)
        async with port.running():
            await port.quiet()
        assert port.writes(before) == []


async def test_many_at_once_have_each_a_place_of_their_own() -> None:
    async with pilot() as port, port.running(NabSettings(HOME, workers=8)):
        for number in range(40):
            await port.ask(f"n{number:02}")
        for number in range(40):
            await port.until(f"n{number:02}", is_phase("Created"))
        await port.pass_time(seconds=6)
        assert sorted(found or 0 for found in (await positions(port)).values()) == list(
            range(1, 41)
        )
        creations = [one for one in port.writes() if one == "POST backups"]
        assert len(creations) == 40
        assert len(port.writes()) <= 4 * 40 + 8
