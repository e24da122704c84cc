"""A clock for tests: it stands still until it is moved."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from kedge.aio.turn import turn

START = datetime(2030, 1, 1, tzinfo=UTC)
PATIENCE_SECONDS = 30.0
"""Real time to wait for what a test expects."""


RESOLUTION = 1e-6
"""A microsecond is what `timedelta` can tell apart."""


class FakeClock:
    """Time that passes when a test says so; whoever sleeps by it wakes up then."""

    def __init__(self, start: datetime = START) -> None:
        """Stand at an instant, which must know its time zone."""
        if start.tzinfo is None:
            raise ValueError("the start of a clock needs a time zone")
        self._now = start.astimezone(UTC)
        self._elapsed = 0.0
        self._sleepers: dict[asyncio.Future[None], float] = {}
        self._arrivals: set[asyncio.Future[None]] = set()

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Return the seconds by which the clock was moved on."""
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        """Return when the clock has been moved on by this much."""
        due = self._elapsed + max(seconds, 0.0)
        if seconds <= RESOLUTION:
            self._elapsed = due
            await turn()
            return
        sleeper = asyncio.get_running_loop().create_future()
        self._sleepers[sleeper] = due
        for arrival in self._arrivals:
            if not arrival.done():
                arrival.set_result(None)
        try:
            await sleeper
        finally:
            self._sleepers.pop(sleeper, None)

    @property
    def delays(self) -> list[float]:
        """Seconds that each sleeper still has to wait, the shortest first."""
        waiting = (due for sleeper, due in self._sleepers.items() if not sleeper.done())
        return sorted(due - self._elapsed for due in waiting)

    def advance(self, by: timedelta) -> datetime:
        """Move on, never back; return the new time."""
        if by < timedelta(0):
            raise ValueError("a clock does not go back")
        self._now += by
        self._elapsed += by.total_seconds()
        for sleeper, due in list(self._sleepers.items()):
            if due <= self._elapsed + RESOLUTION and not sleeper.done():
                # Whoever has slept finds that the time has passed, to the last bit.
                self._elapsed = max(self._elapsed, due)
                sleeper.set_result(None)
        return self._now

    def set_back(self, by: timedelta) -> datetime:
        """Turn the wall clock back, as an operator might; elapsed time does not change."""
        self._now -= by
        return self._now

    async def slept(
        self,
        wanted: Callable[[list[float]], bool] = bool,
        seconds: float = PATIENCE_SECONDS,
    ) -> list[float]:
        """Wait until the delays of the sleepers are as wanted: by default, until one sleeps."""
        async with asyncio.timeout(seconds):
            while not wanted(self.delays):
                arrival = asyncio.get_running_loop().create_future()
                self._arrivals.add(arrival)
                try:
                    await arrival
                finally:
                    self._arrivals.discard(arrival)
        return self.delays
