import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from kedge.client import Selection
from kedge.kube.kind import plain
from kedge.kube.meta import Partial
from kedge.runtime.controller import AWAIT_CHANGE, Result
from kedge.runtime.entry import Entry
from kedge.runtime.key import Key
from kedge.runtime.manager import Manager, ManagerSettings, On
from kedge.runtime.source import Keeping
from kedge.runtime.wake import itself
from kedge.testing import FakeClock
from tests.unit.runtime.peers import BOAT, added, boat
from tests.unit.runtime.shelf import Shelf
from tests.unit.runtime.test_queue import settle

PORT = plain("sea.example.com/v1", "Port", "ports")
A, B = Key("sea", "a"), Key("sea", "b")


class Bench:
    """A manager of boats and ports at a server of a test, in virtual time."""

    def __init__(self, **parts: Any) -> None:
        self.clock = FakeClock()
        self.shelf = Shelf(configmaps=[boat("a", 1)], ports=[boat("b", 2)])
        settings = ManagerSettings(stop_seconds=30)
        self.manager = Manager(self.shelf, settings, self.clock, **parts)
        self.boats = self.manager.cache(BOAT)
        self.ports = self.manager.cache(PORT)
        self.calls: list[str] = []

    async def reconcile(self, key: Key) -> Result:
        self.calls.append(key.name)
        return AWAIT_CHANGE

    async def slowly(self, key: Key) -> Result:
        """Take ten seconds."""
        self.calls.append(f"begin {key.name}")
        try:
            await self.clock.sleep(10)
        except asyncio.CancelledError:
            self.calls.append(f"cancelled {key.name}")
            raise
        self.calls.append(f"end {key.name}")
        return AWAIT_CHANGE

    @asynccontextmanager
    async def running(self) -> AsyncIterator["asyncio.Task[None]"]:
        """Run the manager; the block sees to its end, or it is cancelled."""
        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            task = group.create_task(self.manager.run())
            await settle()
            yield task
            task.cancel()

    async def run_until(self, failure: asyncio.Event) -> None:
        """Run the manager until something fails."""
        async with self.running():
            failure.set()
            await asyncio.Event().wait()


@pytest.mark.asyncio
async def test_nothing_is_reconciled_before_all_caches_are_filled() -> None:
    bench = Bench()
    bench.manager.control("boats", bench.reconcile, [On(bench.boats, itself)])
    bench.shelf.held["ports"] = asyncio.Event()
    async with bench.running():
        assert bench.boats.is_synced
        assert bench.manager.unsynced == ["ports.sea.example.com"]
        assert bench.calls == []
        bench.shelf.held["ports"].set()
        await settle()
        assert bench.manager.unsynced == []
        assert bench.calls == ["a"]


@pytest.mark.asyncio
async def test_all_kinds_that_are_not_filled_are_named() -> None:
    bench = Bench()
    assert bench.manager.unsynced == ["configmaps", "ports.sea.example.com"]


@pytest.mark.asyncio
async def test_two_controllers_may_look_at_the_same_cache() -> None:
    bench = Bench()
    seen: list[Key] = []

    async def other(key: Key) -> Result:
        seen.append(key)
        return AWAIT_CHANGE

    bench.manager.control("boats", bench.reconcile, [On(bench.boats, itself)])
    bench.manager.control("all", other, [On(bench.boats, itself), On(bench.ports, itself)])
    async with bench.running():
        assert (bench.calls, sorted(seen)) == (["a"], [A, B])
        bench.shelf.tell("configmaps", added("c", 11))
        await settle()
        assert (bench.calls, seen[-1]) == (["a", "c"], Key("sea", "c"))


@pytest.mark.asyncio
async def test_two_controllers_of_one_name_are_refused() -> None:
    bench = Bench()
    bench.manager.control("boats", bench.reconcile, [On(bench.boats, itself)])
    with pytest.raises(ValueError, match="'boats' already"):
        bench.manager.control("boats", bench.reconcile, [])


@pytest.mark.asyncio
async def test_the_cache_of_another_manager_is_refused() -> None:
    bench, other = Bench(), Bench()
    with pytest.raises(ValueError, match="configmaps is not of this manager"):
        bench.manager.control("boats", bench.reconcile, [On(other.boats, itself)])


@pytest.mark.asyncio
async def test_stopping_lets_what_is_under_way_end_and_begins_nothing_new() -> None:
    bench = Bench()
    bench.manager.control("all", bench.slowly, [On(bench.boats, itself), On(bench.ports, itself)])
    async with bench.running() as task:
        bench.manager.stop()
        await settle()
        assert not task.done()
        bench.clock.advance(timedelta(seconds=10))
        await task
    assert bench.calls == ["begin a", "end a"]


@pytest.mark.asyncio
async def test_what_takes_too_long_is_cancelled_at_the_deadline() -> None:
    bench = Bench()

    async def endlessly(key: Key) -> Result:
        while True:
            await bench.slowly(key)

    bench.manager.control("boats", endlessly, [On(bench.boats, itself)])
    async with bench.running() as task:
        bench.manager.stop()
        await settle()
        for _ in range(2):
            bench.clock.advance(timedelta(seconds=10))
            await settle()
            assert not task.done()
        bench.clock.advance(timedelta(seconds=10))
        await task
    assert bench.calls[-1] == "cancelled a"


@pytest.mark.asyncio
async def test_a_second_stop_changes_nothing() -> None:
    bench = Bench()
    bench.manager.control("boats", bench.slowly, [On(bench.boats, itself)])
    async with bench.running() as task:
        bench.manager.stop()
        await settle()
        bench.manager.stop()
        bench.clock.advance(timedelta(seconds=10))
        await task
        bench.manager.stop()
    assert bench.calls == ["begin a", "end a"]


@pytest.mark.asyncio
async def test_a_manager_that_waits_for_its_caches_can_be_stopped() -> None:
    bench = Bench()
    bench.manager.control("boats", bench.reconcile, [On(bench.boats, itself)])
    bench.shelf.held["ports"] = asyncio.Event()
    async with bench.running() as task:
        bench.manager.stop()
        await task
    assert bench.calls == []


@pytest.mark.asyncio
async def test_a_manager_that_was_stopped_before_it_ran_ends_at_once() -> None:
    bench = Bench()
    bench.manager.control("boats", bench.reconcile, [On(bench.boats, itself)])
    bench.manager.stop()
    async with asyncio.timeout(5):
        await bench.manager.run()
    assert bench.calls == []


@pytest.mark.asyncio
async def test_a_cancelled_manager_ends_all_it_runs() -> None:
    bench = Bench()
    bench.manager.control("boats", bench.slowly, [On(bench.boats, itself)])
    async with bench.running():
        pass
    assert bench.calls == ["begin a", "cancelled a"]
    assert len(asyncio.all_tasks()) == 1


class Recorder:
    """A service, or a leader, that tells when it runs."""

    def __init__(self, lines: list[str], fails: asyncio.Event | None = None) -> None:
        self.lines = lines
        self.fails = fails or asyncio.Event()
        self.is_led = asyncio.Event()

    async def run(self) -> None:
        self.lines.append("runs")
        try:
            await self.fails.wait()
            raise OSError("broken")
        finally:
            self.lines.append("ended")

    async def led(self) -> None:
        await self.is_led.wait()

    async def release(self) -> None:
        self.lines.append("released")


@pytest.mark.asyncio
async def test_services_run_from_before_the_first_reconcile_until_after_the_last() -> None:
    bench = Bench()
    bench.manager.serve(Recorder(bench.calls))
    bench.manager.control("boats", bench.slowly, [On(bench.boats, itself)])
    async with bench.running() as task:
        bench.manager.stop()
        await settle()
        bench.clock.advance(timedelta(seconds=10))
        await task
    assert bench.calls == ["runs", "begin a", "end a", "ended"]


@pytest.mark.asyncio
async def test_a_service_that_fails_ends_the_manager() -> None:
    bench = Bench()
    service = Recorder(bench.calls)
    bench.manager.serve(service)
    bench.manager.control("boats", bench.slowly, [On(bench.boats, itself)])
    with pytest.raises(ExceptionGroup) as caught:
        await bench.run_until(service.fails)
    assert caught.group_contains(OSError, match="broken")
    assert bench.calls[-2:] == ["ended", "cancelled a"]


@pytest.mark.asyncio
async def test_who_does_not_lead_has_all_caches_filled_and_reconciles_nothing() -> None:
    lines: list[str] = []
    leader = Recorder(lines)
    bench = Bench(leader=leader)
    bench.manager.control("boats", bench.reconcile, [On(bench.boats, itself)])
    async with bench.running() as task:
        assert (bench.manager.unsynced, bench.calls) == ([], [])
        leader.is_led.set()
        await settle()
        assert bench.calls == ["a"]
        bench.manager.stop()
        await task
    assert lines == ["runs", "released", "ended"]


@pytest.mark.asyncio
async def test_the_lead_is_given_up_only_after_the_last_reconcile() -> None:
    bench = Bench()
    leader = Recorder(bench.calls)
    leader.is_led.set()
    bench.manager._leader = leader
    bench.manager.control("boats", bench.slowly, [On(bench.boats, itself)])
    async with bench.running() as task:
        bench.manager.stop()
        await settle()
        bench.clock.advance(timedelta(seconds=10))
        await task
    assert bench.calls == ["runs", "begin a", "end a", "released", "ended"]


@pytest.mark.asyncio
async def test_the_loss_of_the_lead_cancels_all_and_is_raised() -> None:
    bench = Bench()
    leader = Recorder([])
    leader.is_led.set()
    bench.manager._leader = leader
    bench.manager.control("boats", bench.slowly, [On(bench.boats, itself)])
    with pytest.raises(ExceptionGroup) as caught:
        await bench.run_until(leader.fails)
    assert caught.group_contains(OSError, match="broken")
    assert bench.calls == ["begin a", "cancelled a"]
    assert "released" not in leader.lines


@pytest.mark.asyncio
async def test_a_manager_of_nothing_runs_until_it_is_stopped() -> None:
    manager = Manager(Shelf(), clock=FakeClock())
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(manager.run())
        await settle()
        manager.stop()


@pytest.mark.asyncio
async def test_caches_of_the_same_objects_share_one_watch() -> None:
    bench = Bench()
    heads = bench.manager.cache(BOAT.into(Partial), Keeping(indexes={"name": _by_name}))
    seen: list[Key] = []

    async def look(key: Key) -> Result:
        seen.append(key)
        return AWAIT_CHANGE

    bench.manager.control("boats", bench.reconcile, [On(bench.boats, itself)])
    bench.manager.control("heads", look, [On(heads, itself)])
    async with bench.running():
        assert bench.shelf.lists == {"configmaps": 1, "ports": 1}
        assert (bench.calls, seen) == (["a"], [A])
        assert [entry.key for entry in heads.find("name", "a")] == [A]


@pytest.mark.asyncio
async def test_who_looks_by_keys_alone_gets_the_cache_of_another_that_leaves_out_nothing() -> None:
    bench = Bench()
    kind = BOAT.into(Partial)
    chosen = bench.manager.cache(kind, Keeping(keep=lambda meta: meta.name == "b"))
    indexed = bench.manager.cache(kind, Keeping(indexes={"name": _by_name}))
    assert bench.manager.cache(kind) is indexed
    assert bench.manager.cache(kind, Keeping(indexes={"name": _by_name})) is not indexed
    async with bench.running():
        assert A in indexed
        assert A not in chosen


@pytest.mark.asyncio
async def test_caches_of_other_objects_of_a_kind_have_a_watch_of_their_own() -> None:
    bench = Bench()
    chosen = bench.manager.cache(BOAT, Keeping(Selection(labels="sail=yes")))
    bench.manager.cache(BOAT.partial)
    async with bench.running():
        assert bench.shelf.lists["configmaps"] == 3
        assert chosen.is_synced


def _by_name(entry: Entry[Partial]) -> list[str]:
    return [entry.key.name]
