"""When places in the queue are written anew: often enough to be true, and never all each time.

If each start had all others move up at once, a queue would cost the square of its length.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from kedge.aio.clock import Clock
from kedge.controllers.queue.line import Place

SHORT: Final = 10
"""So few are written at once."""
PER_SECOND: Final = 10
"""Many are written one after the other, and not before so many could have been."""
REST_SECONDS: Final = 5.0
"""Many are not written more often than this: a queue that moves fast is soon a short one."""


class Passes:
    """Hands out places to write; those of one pass were found together, so their order holds."""

    def __init__(self, clock: Clock) -> None:
        """Know of no queue yet."""
        self._clock = clock
        self._places: deque[Place] = deque()
        self._since: float | None = None
        """When the last pass began, or the queue became long."""

    @property
    def is_under_way(self) -> bool:
        """Whether some places of this pass are not written yet."""
        return bool(self._places)

    def wait_seconds(self, moves: int) -> float | None:
        """Give the seconds until so many moves may begin; None where there is nothing to do."""
        if self._places:
            return 0.0
        if moves <= SHORT:
            self._since = None
            return 0.0 if moves else None
        now = self._clock.monotonic()
        if self._since is None:
            self._since = now
        return max(0.0, self._since + max(REST_SECONDS, moves / PER_SECOND) - now)

    def begin(self, moves: Iterable[Place]) -> None:
        """Have places written, as they were found together."""
        self._places.extend(moves)
        self._since = self._clock.monotonic()

    def take(self, most: int) -> list[Place]:
        """Give the places to write now."""
        return [self._places.popleft() for _ in range(min(most, len(self._places)))]
