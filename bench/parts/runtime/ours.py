"""Kedge: the same work, through the client and the runtime as controllers use them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from kedge.aio.clock import SystemClock
from kedge.client import Client, Selection
from kedge.client.where import find
from kedge.kube.kind import Kind, Object, plain
from kedge.runtime.controller import AWAIT_CHANGE, Reconcile, Result
from kedge.runtime.entry import Change
from kedge.runtime.key import Key
from kedge.runtime.manager import Manager, On
from kedge.runtime.metrics import Metrics
from kedge.runtime.queue import Queue
from kedge.runtime.source import Keeping, Source
from kedge.runtime.wake import itself
from kedge.runtime.watcher import WatchSettings
from parts.runtime.meter import Calls, Counter, Measured, Meter
from parts.runtime.objects import KINDS
from parts.runtime.raw import burst
from parts.runtime.task import Task

CLOCK = SystemClock()
FAR = timedelta(hours=1)


def _kind(task: Task) -> Kind[Object]:
    return plain("v1", KINDS[task.resource], task.resource)


def _client(task: Task) -> Client:
    return Client(find(Path(task.kubeconfig), environ={}, clock=CLOCK), clock=CLOCK)


async def events(task: Task) -> Measured:
    """Watch, keep in the cache, wake, and queue; nobody takes from the queue."""
    counter, done = Counter(task.count), asyncio.Event()

    def counted(change: Change[Object]) -> Iterable[Key]:
        if counter.tick():
            done.set()
        return itself(change)

    keeping: Keeping[Object] = Keeping(Selection(task.namespace))
    async with _client(task) as client, asyncio.TaskGroup() as group:
        source = Source(client, _kind(task), keeping, WatchSettings(), CLOCK)
        source.wake(counted, Queue(CLOCK, metrics=Metrics().queue("bench")))
        running = group.create_task(source.run())
        await done.wait()
        running.cancel()
    return counter.measured()


async def sync_whole(task: Task) -> Measured:
    """Fill a cache with whole objects, and reconcile each once."""
    return await _sync(task, _kind(task))


async def sync_trimmed(task: Task) -> Measured:
    """Fill a cache with the metadata of objects, and reconcile each once."""
    return await _sync(task, _kind(task).partial)


async def _sync(task: Task, kind: Kind[Any]) -> Measured:
    calls, reconcile = _empty()

    async def measured() -> Measured:
        meter = Meter()
        await calls.reach(task.count)
        return meter.read(task.count)

    return await _managed(task, kind, reconcile, measured)


async def reconciles(task: Task) -> Measured:
    """Let all objects change at once, and call an empty reconcile for each."""
    calls, reconcile = _empty()

    async def measured() -> Measured:
        await calls.reach(task.count)
        meter = Meter()
        await burst(task)
        await calls.reach(2 * task.count)
        return meter.read(task.count)

    return await _managed(task, _kind(task), reconcile, measured)


async def idle(task: Task) -> Measured:
    """Have each object looked at again in an hour, and wait."""
    calls, due = Calls(), CLOCK.now() + FAR

    async def reconcile(_key: Key) -> Result:
        calls.one()
        return Result(wake=due)

    async def measured() -> Measured:
        await calls.reach(task.count)
        await CLOCK.sleep(1)
        meter = Meter()
        await CLOCK.sleep(task.seconds)
        return meter.read(task.count)

    return await _managed(task, _kind(task), reconcile, measured)


def _empty() -> tuple[Calls, Reconcile]:
    calls = Calls()

    async def reconcile(_key: Key) -> Result:
        calls.one()
        return AWAIT_CHANGE

    return calls, reconcile


async def _managed(
    task: Task, kind: Kind[Any], reconcile: Reconcile, measured: Callable[[], Awaitable[Measured]]
) -> Measured:
    """Run a manager with one controller while something is measured."""
    async with _client(task) as client:
        manager = Manager(client, clock=CLOCK, metrics=Metrics())
        cache = manager.cache(kind, Keeping(Selection(task.namespace)))
        manager.control("bench", reconcile, [On(cache, itself)])
        async with asyncio.TaskGroup() as group:
            running = group.create_task(manager.run())
            found = await measured()
            running.cancel()
    return found
