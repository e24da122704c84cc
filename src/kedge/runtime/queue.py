"""The queue of keys: each once at most, none handed out twice at the same time.

A key is dirty when something has changed, and processing while a worker has it. A dirty key waits
in the queue, unless it is processing: then it waits for that to end, and is queued again.
"""

import asyncio
import heapq
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock
from kedge.aio.race import sleep_unless
from kedge.runtime.delays import Delays
from kedge.runtime.key import Key

LOOK_SECONDS: Final = 30.0
"""A wall clock may be set while we sleep: it is looked at so often, though nothing is due."""


class Closed(Exception):
    """The queue is closed: no key will come any more."""


class QueueMetrics(Protocol):
    """Hears of the life of keys in a queue."""

    running: Callable[[], Iterable[float]]
    """To be asked for the seconds for which workers have had their keys; the queue sets it."""

    def added(self, depth: int) -> None:
        """Take note of a key that was queued."""

    def taken(self, depth: int, waited_seconds: float) -> None:
        """Take note of a key that a worker has taken."""

    def done(self, worked_seconds: float) -> None:
        """Take note of a key that a worker is done with."""

    def retried(self) -> None:
        """Take note of a key that comes again after a failure."""


class _NoMetrics:
    running: Callable[[], Iterable[float]] = tuple

    def added(self, depth: int) -> None: ...

    def taken(self, depth: int, waited_seconds: float) -> None: ...

    def done(self, worked_seconds: float) -> None: ...

    def retried(self) -> None: ...


@dataclass(slots=True)
class _Want:
    """With what priority a key was added, and when first, in elapsed seconds."""

    priority: int
    since: float


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """How long keys wait after failures."""

    backoff: Backoff = field(default_factory=lambda: Backoff(0.005, 1000.0, jitter=0.1))
    """For each key by itself: the first failure waits 5 ms, the worst about a quarter of an hour,
    as in controller-runtime."""


class Queue:
    """Keys that want to be reconciled; `run` must run beside it for those that are due later."""

    def __init__(
        self,
        clock: Clock,
        settings: QueueSettings | None = None,
        metrics: QueueMetrics | None = None,
    ) -> None:
        """Begin empty."""
        self._clock = clock
        self._settings = settings or QueueSettings()
        self._metrics: QueueMetrics = metrics or _NoMetrics()
        self._metrics.running = self._running
        self._dirty: dict[Key, _Want] = {}
        self._processing: dict[Key, float] = {}
        # The number of each queued key's valid place in the heap.
        self._queued: dict[Key, int] = {}
        self._heap: list[tuple[int, int, Key]] = []
        self._count = 0
        self._elapsed: Delays[Key] = Delays()
        self._instants: Delays[Key] = Delays()
        self._failures: dict[Key, int] = {}
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._sooner = asyncio.Event()
        self._closed = False

    def __len__(self) -> int:
        """Count the keys that wait for a worker."""
        return len(self._queued)

    @property
    def delayed(self) -> int:
        """How many keys are due later."""
        return len(self._elapsed) + len(self._instants)

    @property
    def processing(self) -> Mapping[Key, float]:
        """The keys that workers have, and when each was taken, in elapsed seconds."""
        return self._processing

    def add(self, key: Key, priority: int = 0) -> None:
        """Have a key reconciled soon; those of a higher priority come first."""
        want = self._dirty.get(key)
        if want is not None:
            if priority > want.priority:
                want.priority = priority
                if key in self._queued:
                    self._push(key, priority)
            return
        self._dirty[key] = _Want(priority, self._clock.monotonic())
        if key not in self._processing:
            self._push(key, priority)
            self._metrics.added(len(self._queued))
            self._wake_one()

    def add_after(self, key: Key, seconds: float) -> None:
        """Have a key reconciled after a time, unless that happens before."""
        if math.isnan(seconds):
            raise ValueError(f"the seconds after which {key} is due must be a number")
        if seconds <= 0:
            self.add(key)
        elif self._elapsed.add(key, self._clock.monotonic() + seconds):
            self._sooner.set()

    def add_at(self, key: Key, instant: datetime) -> None:
        """Have a key reconciled at an instant of the wall clock, unless that happens before."""
        if instant <= self._clock.now():
            self.add(key)
        elif self._instants.add(key, instant.timestamp()):
            self._sooner.set()

    def add_failed(self, key: Key) -> float:
        """Have a key reconciled again after a failure; give the seconds until then."""
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        delay = self._settings.backoff.delay(failures)
        self.add_after(key, delay)
        self._metrics.retried()
        return delay

    def forget(self, key: Key) -> None:
        """Forget the failures of a key."""
        self._failures.pop(key, None)

    async def get(self) -> Key:
        """Wait for a key and take it; it comes to nobody else before `done`. Raises Closed."""
        while True:
            if self._closed:
                raise Closed
            key = self._pop()
            if key is not None:
                return key
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            try:
                await waiter
            except asyncio.CancelledError:
                if waiter.done() and not waiter.cancelled():
                    self._wake_one()  # it was meant for us, and there is work
                raise

    def done(self, key: Key) -> None:
        """Give back a key; if it has become dirty meanwhile, it is queued again."""
        taken = self._processing.pop(key)
        self._metrics.done(self._clock.monotonic() - taken)
        want = self._dirty.get(key)
        if want is not None:
            self._push(key, want.priority)
            self._metrics.added(len(self._queued))
            self._wake_one()

    async def run(self) -> None:
        """Queue keys when they are due, for ever."""
        while True:
            self._sooner.clear()
            due = self._instants.take(self._clock.now().timestamp())
            due += self._elapsed.take(self._clock.monotonic())
            for key in due:
                self.add(key)
            pause = self._pause()
            if pause is None:
                await self._sooner.wait()
            else:
                await sleep_unless(self._sooner, pause, self._clock)

    def close(self) -> None:
        """Hand out no more keys."""
        self._closed = True
        while self._waiters:
            self._wake_one()

    def _push(self, key: Key, priority: int) -> None:
        self._count += 1
        self._queued[key] = self._count
        heapq.heappush(self._heap, (-priority, self._count, key))

    def _pop(self) -> Key | None:
        while self._heap:
            _, number, key = heapq.heappop(self._heap)
            if self._queued.get(key) != number:
                continue  # it was queued anew, with a higher priority
            del self._queued[key]
            want = self._dirty.pop(key)
            # A reconcile looks at everything, and says itself when it wants to look again.
            self._elapsed.remove(key)
            self._instants.remove(key)
            now = self._processing[key] = self._clock.monotonic()
            self._metrics.taken(len(self._queued), now - want.since)
            return key
        return None

    def _pause(self) -> float | None:
        """Give the seconds until a key is due; None: none is."""
        pauses = []
        elapsed, instant = self._elapsed.first(), self._instants.first()
        if elapsed is not None:
            pauses.append(elapsed - self._clock.monotonic())
        if instant is not None:
            pauses.append(min(instant - self._clock.now().timestamp(), LOOK_SECONDS))
        return max(0.0, min(pauses)) if pauses else None

    def _running(self) -> list[float]:
        now = self._clock.monotonic()
        return [now - taken for taken in self._processing.values()]

    def _wake_one(self) -> None:
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
