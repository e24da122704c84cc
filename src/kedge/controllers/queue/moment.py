"""The moment in which one Backup makes way for the next: what else is to be written waits.

The server would have both to do at once, and all who are in the queue wait for the start.
"""

from asyncio import Event
from typing import Final

from kedge.aio.clock import Clock
from kedge.aio.race import sleep_unless
from kedge.runtime import Key

MOST_SECONDS: Final = 0.25
"""So long it is at most, as on a server that is very busy: whoever is to start it may be gone."""


class Moment:
    """From when it is known that a Backup will be the next until it runs."""

    def __init__(self, clock: Clock) -> None:
        """Begin with none."""
        self._clock = clock
        self._key: Key | None = None
        self._until = 0.0
        self._is_over = Event()

    def begin(self, key: Key) -> None:
        """Take note that a Backup is about to be started."""
        self._key = key
        self._until = self._clock.monotonic() + MOST_SECONDS
        self._is_over.clear()

    def end(self, key: Key) -> bool:
        """Take note that a Backup runs, or will not; tell whether somebody may be waiting."""
        if key != self._key:
            return False
        self._key = None
        self._is_over.set()
        return True

    @property
    def seconds(self) -> float:
        """How long it may go on; 0: nobody is being started."""
        return 0.0 if self._key is None else max(0.0, self._until - self._clock.monotonic())

    async def over(self) -> None:
        """Wait until it is over."""
        if (seconds := self.seconds) > 0:
            await sleep_unless(self._is_over, seconds, self._clock)
