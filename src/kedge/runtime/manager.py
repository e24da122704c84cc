"""Runs controllers: what they watch, who leads, and in what order things start and stop.

    serving ▶ sources ▶ synced ▶ leading ▶ controllers          stopping goes the other way

Those who do not lead have all caches filled, and take over without a list.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from kedge.aio.background import background
from kedge.aio.clock import Clock, SystemClock
from kedge.aio.race import sleep_unless
from kedge.kube.kind import Kind
from kedge.runtime.cache import Cache
from kedge.runtime.controller import Controller, Reconcile, ReconcileMetrics
from kedge.runtime.peer import Peer
from kedge.runtime.queue import Queue, QueueMetrics, QueueSettings
from kedge.runtime.source import AnyReading, AnySource, Keeping, Reading, Source
from kedge.runtime.wake import Wake
from kedge.runtime.watcher import WatchSettings

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ManagerSettings:
    """How a manager and what it runs behave."""

    stop_seconds: float = 30.0
    """What is under way may go on for so long when it is to stop: as long as a pod is given."""
    watch: WatchSettings = field(default_factory=WatchSettings)
    queue: QueueSettings = field(default_factory=QueueSettings)


@dataclass(frozen=True, slots=True)
class On:
    """A collection that a controller looks at, and whom its changes wake."""

    cache: Cache[Any]
    wake: Wake[Any]


class Leading(Protocol):
    """Says when this process may write."""

    async def run(self) -> None:
        """Strive for the lead and keep it; raises when it is lost."""

    async def led(self) -> None:
        """Wait until this process leads."""

    async def release(self) -> None:
        """Give up the lead, so that another need not wait; nothing is written any more."""


class Service(Protocol):
    """Runs beside the controllers from before they start until after they stop."""

    async def run(self) -> None:
        """Serve until cancelled; then end in good order."""


class Metrics(Protocol):
    """Makes what queues and controllers report to."""

    def queue(self, name: str) -> QueueMetrics:
        """Give the metrics of the queue of a controller."""

    def reconcile(self, name: str, workers: int) -> ReconcileMetrics:
        """Give the metrics of a controller."""


class Manager:
    """Holds caches and controllers, and runs them until it is told to stop."""

    def __init__(
        self,
        client: Peer,
        settings: ManagerSettings | None = None,
        clock: Clock | None = None,
        leader: Leading | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        """Begin with nothing; without a leader it leads at once."""
        self._client = client
        self.clock = clock or SystemClock()
        self._settings = settings or ManagerSettings()
        self._leader = leader
        self._metrics = metrics
        self._sources: dict[object, AnySource] = {}
        self._readings: dict[int, AnyReading] = {}
        self._whole: dict[tuple[object, ...], Cache[Any]] = {}
        """Caches that leave out nothing: who looks by keys alone has the first that there is."""
        self._controllers: list[Controller] = []
        self._services: list[Service] = []
        self._stopping = asyncio.Event()

    def cache(self, kind: Kind[T], keeping: Keeping[T] | None = None) -> Cache[T]:
        """Follow a collection; give the cache of it, which fills when the manager runs.

        Controllers that follow the same one share a watch, whatever they read its objects into.
        """
        keeping = keeping or Keeping()
        what = (kind.collection(), kind.metadata_only, keeping.selection)
        same = (*what, kind.model)
        if not keeping.indexes and keeping.keep is None and same in self._whole:
            return self._whole[same]
        source, settings = self._sources.get(what), self._settings.watch
        reading: Reading[T]
        if source is not None:
            reading = source.share(kind, keeping)
        else:
            reading = source = Source(self._client, kind, keeping, settings, self.clock)
            self._sources[what] = source
        self._readings[id(reading.cache)] = reading
        if keeping.keep is None:
            self._whole.setdefault(same, reading.cache)
        return reading.cache

    def control(
        self, name: str, reconcile: Reconcile, watches: Sequence[On], workers: int = 1
    ) -> Controller:
        """Have a function reconcile the keys that the changes of some caches wake."""
        if any(name == one.name for one in self._controllers):
            raise ValueError(f"there is a controller {name!r} already")
        for watch in watches:
            if id(watch.cache) not in self._readings:
                raise ValueError(f"the cache of {watch.cache.kind} is not of this manager")
        metrics = self._metrics
        queue = Queue(self.clock, self._settings.queue, metrics.queue(name) if metrics else None)
        for watch in watches:
            self._readings[id(watch.cache)].wake(watch.wake, queue)
        controller = Controller(
            name,
            reconcile,
            queue,
            self.clock,
            workers,
            metrics.reconcile(name, workers) if metrics else None,
        )
        self._controllers.append(controller)
        return controller

    def serve(self, service: Service) -> None:
        """Have something run beside the controllers, from before the first to after the last."""
        self._services.append(service)

    @property
    def unsynced(self) -> list[str]:
        """The kinds whose objects have not all been seen yet; none: it is ready."""
        caches = [reading.cache for reading in self._readings.values()]
        return sorted({str(cache.kind) for cache in caches if not cache.is_synced})

    def stop(self) -> None:
        """Have `run` end in good order."""
        self._stopping.set()

    async def run(self) -> None:
        """Run until `stop`; raises what can not be mended, such as the loss of the lead."""
        services = background(*(service.run() for service in self._services))
        async with services, background(*self._beneath()):
            await self._unless_stopped(self._synced())
            await self._lead()
        logger.info("stopped")

    def _beneath(self) -> list[Coroutine[Any, Any, None]]:
        """Give all that runs beneath the controllers."""
        sources = [source.run() for source in self._sources.values()]
        return sources + [controller.queue.run() for controller in self._controllers]

    async def _synced(self) -> None:
        for reading in list(self._readings.values()):
            await reading.cache.synced()

    async def _lead(self) -> None:
        leader = self._leader
        if leader is None:
            await self._control()
            return
        async with background(leader.run()):
            await self._unless_stopped(leader.led())
            await self._control()
            await leader.release()

    async def _control(self) -> None:
        """Run the controllers; when told to stop, let them end what is under way."""
        if self._stopping.is_set():
            return
        ended = asyncio.Event()
        async with background(self._work(ended)):
            await self._stopping.wait()
            logger.info("stopping")
            for controller in self._controllers:
                controller.queue.close()
            await sleep_unless(ended, self._settings.stop_seconds, self.clock)

    async def _work(self, ended: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as group:
            for controller in self._controllers:
                group.create_task(controller.run())
        ended.set()

    async def _unless_stopped(self, waiting: Coroutine[Any, Any, None]) -> None:
        """Wait for something, or until told to stop."""
        async with asyncio.TaskGroup() as group:
            waiter = group.create_task(waiting)
            stopped = group.create_task(self._stopping.wait())
            await asyncio.wait((waiter, stopped), return_when=asyncio.FIRST_COMPLETED)
            waiter.cancel()
            stopped.cancel()
