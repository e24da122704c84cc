"""Runs once per interval: `@every`."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from kedge.cron.duration import seconds_text
from kedge.cron.schedule import Schedule, in_utc
from kedge.cron.zones import SECOND, Zone, load


class Every(Schedule):
    """Runs once per interval, counted from wherever one starts to count."""

    __slots__ = ("_dst", "_zone", "seconds")

    def __init__(self, seconds: int, zone: Zone, dst: str) -> None:
        self.seconds = seconds
        self._zone = zone
        self._dst = dst

    @property
    def zone(self) -> str:
        """The name of the time zone in which to show it; intervals do not depend on it."""
        return self._zone.name

    @property
    def dst(self) -> str:
        """The policy that was given; intervals do not depend on it."""
        return self._dst

    @property
    def interval(self) -> timedelta:
        """The time from one run to the next."""
        return self.seconds * SECOND

    def next(self, after: datetime) -> datetime | None:
        """Return the instant one interval after the second that holds this one."""
        try:
            return in_utc(after).replace(microsecond=0) + self.interval
        except OverflowError:
            return None

    def prev(self, before: datetime) -> datetime | None:
        """Return the instant one interval before this one, rounded up to a second."""
        try:
            return _whole_second(in_utc(before)) - self.interval
        except OverflowError:
            return None

    def matches(self, instant: datetime) -> bool:
        """Say whether an instant can be a run: any whole second can."""
        return in_utc(instant).microsecond == 0

    def between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """Yield the runs from start (included, up to a second) to end (excluded)."""
        try:
            first = _whole_second(in_utc(start))
        except OverflowError:
            return
        yield from super().between(first, end)

    def explain(self) -> str:
        """Say in plain English when it runs."""
        from kedge.cron.explain import explain_every

        return explain_every(self.seconds)

    def __str__(self) -> str:
        return f"@every {seconds_text(self.seconds)}"

    def __repr__(self) -> str:
        return f"<Schedule {str(self)!r}>"

    def __eq__(self, other: object) -> bool:
        return self.seconds == other.seconds if isinstance(other, Every) else False

    def __hash__(self) -> int:
        return hash(self.seconds)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.seconds, self.zone, self._dst)


def _whole_second(instant: datetime) -> datetime:
    return instant + timedelta(microseconds=-instant.microsecond % 1_000_000)


def _rebuild(seconds: int, zone: str, dst: str) -> Every:
    return Every(seconds, load(zone), dst)
