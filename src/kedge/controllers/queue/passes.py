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
"""Many are written one after the other, and then not again before so many could have been."""


class Passes:
    """Hands out places to write; those of one pass were found together, so their order holds."""

    def __init__(self, clock: Clock) -> None:
        """Begin at once."""
        self._clock = clock
        self._places: deque[Place] = deque()
        self._next = float("-inf")

    @property
    def is_under_way(self) -> bool:
        """Whether some places of this pass are not written yet."""
        return bool(self._places)

    def wait_seconds(self, moves: Sequence[Place]) -> float | None:
        """Give the seconds until these moves may begin; None where there is nothing to do."""
        if not moves:
            return None
        if len(moves) <= SHORT or self._places:
            return 0.0
        return max(0.0, self._next - self._clock.monotonic())

    def take(self, moves: Sequence[Place], most: int) -> list[Place]:
        """Give the places to write now; a pass begins where none is under way, and one may."""
        if not self._places:
            wait = self.wait_seconds(moves)
            if wait is None or wait > 0:
                return []
            self._places.extend(moves)
            self._next = self._clock.monotonic() + len(moves) / PER_SECOND
        return [self._places.popleft() for _ in range(min(most, len(self._places)))]
