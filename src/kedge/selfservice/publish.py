"""When positions in the line are told: at once to the first, and to the others now and then.

If all heard each time that somebody is done, a line would cost the square of its length. Pure: the
time is a reading of a clock that counts seconds.
"""

from dataclasses import dataclass
from typing import Final

from kedge.selfservice.queue import Member, Queue, Span

FIRST: Final = 10
PERIOD_SECONDS: Final = 4.0
"""To write to a thousand takes a kube-apiserver five seconds, and all are to be right in ten."""
NOWHERE: Final = 1 << 62
"""A position behind the end of any line."""


@dataclass(frozen=True, slots=True)
class Publishing:
    """How positions are told."""

    first: int = FIRST
    """So many at the head of the line are told at once."""
    period_seconds: float = PERIOD_SECONDS
    """The others are told at most once in so long."""


class Line:
    """A line, and who in it is still to be told of a position that has changed.

    All positions from a mark on are still to be told: who moves up across it takes it along.
    """

    def __init__(self, queue: Queue, publishing: Publishing | None = None) -> None:
        """Begin with nobody to tell."""
        self.queue = queue
        self._publishing = publishing or Publishing()
        self._head = NOWHERE
        self._rest = NOWHERE
        self._next = float("-inf")

    def put(self, member: Member) -> None:
        """Take note of an object as it is now."""
        self._mark(self.queue.put(member))

    def remove(self, name: str) -> None:
        """Take note that an object is gone."""
        self._mark(self.queue.remove(name))

    def restarted(self, instant: str) -> None:
        """Take note that the server was started at an instant."""
        self._mark(self.queue.restarted(instant))

    def position(self, name: str) -> int | None:
        """Give the position of an object; None: it is not known."""
        return self.queue.position(name)

    def is_first(self, name: str) -> bool:
        """Tell whether an object is told at once: it is at the head, or waits no longer."""
        rank = self.queue.rank(name)
        return rank is None or rank < self._publishing.first

    def take(self, now: float) -> list[str]:
        """Give those to be told now, in the order of the line; they count as told."""
        first = self._publishing.first
        found = list(self.queue.names(self._rank(min(self._head, self._rest)), first))
        self._head = NOWHERE
        rest = max(self._rank(self._rest), first)
        if rest >= self.queue.waiting:
            self._rest = NOWHERE
        elif now >= self._next:
            found += self.queue.names(rest)
            self._rest = NOWHERE
            self._next = now + self._publishing.period_seconds
        else:
            self._rest = self._position(rest)
        return found

    def wait_seconds(self, now: float) -> float | None:
        """Give the seconds until some are to be told; None: all have been."""
        mark = self._rank(min(self._head, self._rest))
        if mark >= self.queue.waiting:
            return None
        return 0.0 if mark < self._publishing.first else max(0.0, self._next - now)

    def _mark(self, span: Span) -> None:
        if not span:
            return
        first = self._publishing.first
        if span.first < first:
            self._head = min(self._head, self._position(span.first))
        if span.last > first:
            self._rest = min(self._rest, self._position(max(span.first, first)))

    def _position(self, rank: int) -> int:
        return rank + self.queue.running

    def _rank(self, position: int) -> int:
        return max(0, position - self.queue.running)
