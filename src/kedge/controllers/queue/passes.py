"""When places in the queue are written anew: often enough to be true, and never all each time.

If each start had all others move up at once, a queue would cost the square of its length.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from kedge.aio.clock import Clock
from kedge.controllers.queue.decide import Place

SHORT: Final = 10
"""So few are written at once."""
PER_SECOND: Final = 25
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

    def wait_seconds(self, moves: Sequence[Place]) -> float | None:
        """Give the seconds until these moves may begin; None where there is nothing to do."""
        if self._places:
            return 0.0
        if len(moves) <= SHORT:
            self._since = None
            return 0.0 if moves else None
        now = self._clock.monotonic()
        if self._since is None:
            self._since = now
        return max(0.0, self._since + max(REST_SECONDS, len(moves) / PER_SECOND) - now)

    def take(self, moves: Sequence[Place], most: int) -> list[Place]:
        """Give the places to write now; a pass begins where none is under way, and one may."""
        if not self._places:
            wait = self.wait_seconds(moves)
            if wait is None or wait > 0:
                return []
            self._places.extend(moves)
            self._since = self._clock.monotonic()
        return [self._places.popleft() for _ in range(min(most, len(self._places)))]
