"""Backups wait in order, and start as soon as they may."""

import asyncio
from pathlib import Path

import pytest

from kedge.api.crd import crds
from kedge.kube.kind import Object
from kedge.testing import FakeClock, faults
from tests.integration.controllers.quay import (
    BACKUPS,
    Collector,
    Quay,
    Server,
    phase,
    quay,
)
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}


def waiting(folder: Path, limit: int = 1) -> Server:
    """Make a server that runs the queue alone: the test ends what it starts."""
    return Server(folder, limit=limit, has_backups=False)


async def until_places(port: Quay, **wanted: int) -> None:
    """Wait until Backups have these places; 0: it was started."""
    for name, place in wanted.items():
        await port.until(name, lambda one, place=place: is_at(one, place))  # type: ignore[misc]


def is_at(backup: Object, place: int) -> bool:
    status = backup.get("status", {})
    told = "ReadyToStart" if place == 0 else "Queued"
    return phase(backup) == told and status.get("queuePosition", 0) == place


async def finish(port: Quay, name: str, phase: str = "Completed") -> None:
    await port.set_status(f"{BACKUPS}/{name}", {"phase": phase})


@pytest.mark.parametrize("kinds", KINDS)
async def test_one_after_the_other_in_the_order_they_came(tmp_path: Path, kinds: str) -> None:
    async with quay(waiting(tmp_path), KINDS[kinds]()) as port, port.running():
        for name in ("c", "b", "a"):
            await port.backup(name)
        await until_places(port, c=0, b=1, a=2)
        await finish(port, "c", "InProgress")
        await finish(port, "c", "Finalizing")
        await until_places(port, b=0, a=1)
        await finish(port, "b")
        await until_places(port, a=0)


async def test_what_shares_no_namespace_runs_at_the_same_time(tmp_path: Path) -> None:
    async with quay(waiting(tmp_path, limit=3)) as port, port.running():
        await port.backup("all", includedNamespaces=["*"])
        await until_places(port, all=0)
        await port.backup("default", includedNamespaces=["default"])
        await port.backup("kube", includedNamespaces=["kube-*"])
        await port.backup("none", includedNamespaces=["nowhere"])
        await port.backup("again", includedNamespaces=["kube-system"])
        await until_places(port, default=1, kube=2, none=0, again=3)
        await finish(port, "all")
        await until_places(port, default=0, kube=0, again=1)
        await finish(port, "none")
        await finish(port, "kube")
        await until_places(port, again=0)


async def test_a_namespace_that_goes_lets_others_start(tmp_path: Path) -> None:
    async with quay(waiting(tmp_path, limit=2)) as port, port.running():
        await port.admin.create("/api/v1/namespaces", {"metadata": {"name": "shared"}})
        await port.backup("a", includedNamespaces=["shared"])
        await until_places(port, a=0)
        await port.backup("b", includedNamespaces=["shared"])
        await until_places(port, b=1)
        await port.admin.delete("/api/v1/namespaces/shared")
        await until_places(port, b=0)


async def test_a_running_one_that_is_deleted_makes_room(tmp_path: Path) -> None:
    async with quay(waiting(tmp_path)) as port, port.running():
        for name in ("a", "b", "c", "d"):
            await port.backup(name)
        await until_places(port, a=0, b=1, c=2, d=3)
        await port.admin.delete(f"{BACKUPS}/a")
        await until_places(port, b=0, c=1, d=2)
        await port.admin.delete(f"{BACKUPS}/c")
        await until_places(port, d=1)


async def test_a_restart_counts_what_runs_and_goes_on(tmp_path: Path) -> None:
    async with quay(waiting(tmp_path)) as port:
        async with port.running():
            for name in ("a", "b", "c"):
                await port.backup(name)
            await until_places(port, a=0, b=1, c=2)
        await port.backup("d")
        async with port.running():
            await until_places(port, a=0, b=1, c=2, d=3)
            await finish(port, "a")
            await until_places(port, b=0, c=1, d=2)


async def test_one_that_is_brought_from_a_bucket_is_not_new(tmp_path: Path) -> None:
    async with quay(waiting(tmp_path)) as port, port.running():
        mark = {"annotations": {"kedge.dev/synced-from": "default/half"}}
        await port.backup("half", mark)
        await port.backup("clone", mark)
        await until_places(port, clone=0)
        assert phase(await port.get("half")) == ""


async def test_one_that_is_refused_does_not_stop_the_others(tmp_path: Path) -> None:
    async with quay(waiting(tmp_path)) as port:
        about = faults.matches(path="*/bad*", write=True)
        port.proxy.inject(faults.Refuse(faults.bare(403)), about)
        async with port.running():
            await port.backup("bad")
            await port.backup("good")
            await port.backup("next")
            await until_places(port, good=0, next=1)
            assert phase(await port.get("bad")) == ""


async def test_a_place_that_was_set_by_hand_is_put_right_in_time(tmp_path: Path) -> None:
    async with quay(waiting(tmp_path)) as port, port.running():
        for name in ("a", "b", "c"):
            await port.backup(name)
        await until_places(port, a=0, b=1, c=2)
        await port.set_status(f"{BACKUPS}/c", {"queuePosition": 7})
        await port.backup("d")
        await until_places(port, b=1, c=2, d=3)


async def test_hand_over_is_by_events_alone(tmp_path: Path) -> None:
    collector = Collector()
    async with quay(Server(tmp_path, limit=2, collect=collector)) as port, port.running():
        names = [f"b{n}" for n in range(20)]
        await asyncio.gather(*(port.backup(name) for name in names))
        for name in names:
            assert (await port.ended(name))["phase"] == "Completed"
        assert sorted(collector.ended) == sorted(names)


async def test_a_long_queue_is_drained_with_few_writes(tmp_path: Path) -> None:
    count = 120
    server = Server(tmp_path, has_backups=False, clock=FakeClock())
    async with quay(server) as port, port.running():
        for n in range(count):
            await port.backup(f"b{n}")
        await until_places(port, **{"b0": 0, f"b{count - 1}": count - 1})
        before = len(port.proxy.calls)
        for n in range(count - 1):
            await port.set_status(f"{BACKUPS}/b{n}", {"phase": "Completed"})
            await port.until(f"b{n + 1}", lambda one: phase(one) == "ReadyToStart")
        writes = [call for call in port.proxy.calls[before:] if call.is_write]
        # A start each, new places once as no time passes, and at the end for each of the last few;
        # with all of them each time it were 7,000.
        assert len(writes) <= 3 * count
        assert len(writes) >= count


async def test_places_are_right_once_a_long_queue_rests(tmp_path: Path) -> None:
    count = 40
    async with quay(waiting(tmp_path)) as port, port.running():
        for n in range(count):
            await port.backup(f"b{n:02}")
        await until_places(port, b00=0, b39=39)
        for n in range(10):
            await port.set_status(f"{BACKUPS}/b{n:02}", {"phase": "Completed"})
            await until_places(port, **{f"b{n + 1:02}": 0})
        await until_places(port, b11=1, b39=29)
        found = [one["status"].get("queuePosition", 0) for one in (await port.items()).values()]
        assert sorted(one for one in found if one) == list(range(1, 30))
