"""The clock as a thing to be handed in; nothing else in Kedge asks the system for the time."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time, and waits for it to pass."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds since some moment in the past; they never go back."""

    async def sleep(self, seconds: float) -> None:
        """Return after this time, or at the next turn if there is none to wait for."""


# Time that passes while a machine is suspended counts, where the system can tell: a lease runs
# out in that time, too.
_MONOTONIC = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds since the machine was started."""
        return time.clock_gettime(_MONOTONIC)

    async def sleep(self, seconds: float) -> None:
        """Return after this time."""
        await asyncio.sleep(seconds)
