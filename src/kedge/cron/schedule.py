"""What every schedule can do: from an instant to the next or the previous run."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import UTC, datetime


class Schedule(ABC):
    """Instants that recur. Immutable; equal to every schedule that fires at the same instants."""

    __slots__ = ()

    @property
    @abstractmethod
    def zone(self) -> str:
        """The name of the time zone whose clock is read."""

    @property
    @abstractmethod
    def dst(self) -> str:
        """What to do when clocks change: `wall` or `once`."""

    @abstractmethod
    def next(self, after: datetime) -> datetime | None:
        """Return the first run strictly after an instant, in UTC; None past the year 9999."""

    @abstractmethod
    def prev(self, before: datetime) -> datetime | None:
        """Return the last run strictly before an instant, in UTC; None before the year 1."""

    @abstractmethod
    def matches(self, instant: datetime) -> bool:
        """Say whether an instant is a run."""

    def between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """Yield the runs from start (included) to end (excluded), one at a time."""
        run = in_utc(start) if self.matches(start) else self.next(start)
        while run is not None and run < end:
            yield run
            run = self.next(run)

    @abstractmethod
    def explain(self) -> str:
        """Say in plain English when it runs."""


def in_utc(instant: datetime) -> datetime:
    """Return an aware instant in UTC; TypeError for a naive one, which means no instant."""
    if instant.tzinfo is UTC:
        return instant
    if instant.utcoffset() is None:
        raise TypeError("a datetime with a time zone is needed, as in datetime(..., tzinfo=UTC)")
    return instant.astimezone(UTC)
