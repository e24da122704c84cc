"""Zones as stretches of constant offset: all that the daylight-saving law needs.

Zone data comes from the `tzdata` package and never from the system, whose data may be older or
missing, and without touching the search path of `zoneinfo`, which belongs to the process.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from kedge.cron.errors import CronError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)
TICK = timedelta(microseconds=1)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
ZERO = timedelta(0)


class Stretch:
    """The instants from `start` up to `end` (excluded), with one offset from UTC."""

    __slots__ = ("end", "epoch", "fresh", "gap", "offset", "start")

    def __init__(
        self, start: datetime, end: datetime, offset: timedelta, before: "list[Stretch]"
    ) -> None:
        self.start = start
        self.end = end
        self.offset = offset
        self.epoch = EPOCH - offset
        """The instant from which the local clock counts: `t - epoch` is the reading at t."""
        self.gap = ZERO
        """How much of the local clock was skipped at `start`."""
        self.fresh = start
        """From here on the clock shows what it has not shown before the change at `start`."""
        for last in before:
            self.gap = max(ZERO, offset - last.offset)
            self.fresh = max(start, max(last.end, last.fresh) + last.offset - offset)

    def cut(self, start: datetime) -> "Stretch":
        """Return this stretch without what lies before an instant."""
        if self.start < start:
            self.start, self.gap, self.fresh = start, ZERO, max(start, self.fresh)
        return self


NOWHERE = Stretch(FIRST, FIRST, ZERO, [])
"""A stretch that holds no instant."""


class Zone:
    """A named zone of the tz database, cut into stretches when they are asked for."""

    __slots__ = ("_always", "_data", "_info", "_years", "name")

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self._years: dict[int, list[Stretch]] = {}
        self._info: ZoneInfo | None = None
        fixed = _fixed_offset(data)
        self._always = None if fixed is None else Stretch(FIRST, LAST, fixed, [])
        # Aliases have the same data, and all names of UTC count as one.
        self._data = b"" if fixed == ZERO else data

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, Zone) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._data)

    @property
    def is_fixed(self) -> bool:
        """Say whether the offset is the same for ever."""
        return self._always is not None

    @property
    def is_utc(self) -> bool:
        """Say whether this is UTC under any of its names."""
        return not self._data

    def at(self, instant: datetime) -> Stretch:
        """Return the stretch that holds an instant, given in UTC."""
        if self._always:
            return self._always
        return next(s for s in self.stretches(instant.year) if instant < s.end)

    def stretches(self, year: int) -> list[Stretch]:
        """Return the stretches of one year of UTC; they are cut at its ends as well."""
        found = self._years.get(year)
        if found is None:
            found = self._years[year] = self._cut(year)
        return found

    def changes(self, first_year: int, last_year: int) -> Iterator[Stretch]:
        """Yield the stretches that begin with a change of the offset."""
        if self.is_fixed:
            return
        before = self.stretches(first_year - 1)[-1]
        for year in range(first_year, last_year + 1):
            for stretch in self.stretches(year):
                if stretch.offset != before.offset:
                    yield stretch
                before = stretch

    def _cut(self, year: int) -> list[Stretch]:
        """Find the changes of a year by asking for the offset day by day.

        The tests hold this against the transitions in the data of every zone. Two days before the
        year belong to the search, so that a change on its eve is seen in what it repeats.
        """
        start = datetime(year, 1, 1, tzinfo=UTC)
        stop = datetime(year + 1, 1, 1, tzinfo=UTC) if year < LAST.year else LAST
        at = begin = start if year == FIRST.year else start - 2 * DAY
        offset = self._offset(at)
        found: list[Stretch] = []
        while at < stop:
            ahead = at + DAY if stop - at > DAY else stop
            there = self._offset(ahead)
            if there != offset:
                change = self._change(at, ahead)
                found.append(Stretch(begin, change, offset, found[-1:]))
                begin, offset = change, there
            at = ahead
        found.append(Stretch(begin, stop, offset, found[-1:]))
        return [stretch.cut(start) for stretch in found if stretch.end > start]

    def _offset(self, instant: datetime) -> timedelta:
        if self._info is None:
            from io import BytesIO
            from zoneinfo import ZoneInfo  # a third of the import time; UTC does without it

            self._info = ZoneInfo.from_file(BytesIO(self._data), key=self.name)
        inside = min(max(instant, FIRST + DAY), LAST - DAY)  # where local time can be told
        return inside.astimezone(self._info).utcoffset() or ZERO

    def _change(self, low: datetime, high: datetime) -> datetime:
        """Return the second at which the offset becomes what it is at `high`."""
        offset = self._offset(high)
        before, after = 0, -((low - high) // SECOND)
        while after - before > 1:
            middle = (before + after) // 2
            if self._offset(low + middle * SECOND) == offset:
                after = middle
            else:
                before = middle
        return low + after * SECOND


@cache
def load(name: str) -> Zone:
    """Return a zone by its name in the tz database; CronError when there is none."""
    if name in ("", "UTC"):  # the original reads an empty name as UTC
        return Zone("UTC", b"")
    data = _read(name) if _is_plain(name) else b""
    if not data.startswith(b"TZif"):
        raise CronError(
            "no such time zone; use a name such as Europe/Amsterdam or UTC",
            field="zone",
            piece=name,
        )
    return Zone(name, data)


def _is_plain(name: str) -> bool:
    """Say whether a name can be that of a zone, and of no other file."""
    return len(name) < 100 and all(
        part.isascii() and part.replace("_", "").replace("-", "").replace("+", "").isalnum()
        for part in name.split("/")
    )


def _read(name: str) -> bytes:
    """Return the data of a zone, or nothing."""
    from pkgutil import get_data  # here, because importing it costs more than one zone

    try:
        return get_data("tzdata", f"zoneinfo/{name}") or b""
    except OSError:
        return b""


def _fixed_offset(data: bytes) -> timedelta | None:
    """Return the offset of a zone that never changes it, by what its file says (RFC 9636)."""
    if not data:
        return ZERO
    header = data.rindex(b"TZif")  # the second header counts the 64-bit transitions
    changes = int.from_bytes(data[header + 32 : header + 36], "big")
    rule = data.rstrip(b"\n").rpartition(b"\n")[2]
    if changes or b"," in rule:
        return None
    return int.from_bytes(data[header + 44 : header + 48], "big", signed=True) * SECOND
