"""Zones as stretches of constant offset: all that the daylight-saving law needs.

Zone data comes from the `tzdata` package and never from the system, whose data may be older or
missing, and without touching the search path of `zoneinfo`, which belongs to the process.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache

from kedge.cron.errors import CronError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)
TICK = timedelta(microseconds=1)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
FIRST_SECOND = (FIRST - EPOCH) // SECOND
ZERO = timedelta(0)
ERA = 4
"""Stretches are found for so many years at a time."""


class Stretch:
    """The instants from `start` up to `end` (excluded), with one offset from UTC."""

    __slots__ = ("end", "epoch", "fresh", "gap", "is_change", "offset", "start")

    def __init__(
        self, start: datetime, end: datetime, offset: timedelta, before: "list[Stretch]"
    ) -> None:
        self.start = start
        self.end = end
        self.offset = offset
        self.epoch = EPOCH - offset
        """The instant from which the local clock counts: `t - epoch` is the reading at t."""
        self.is_change = bool(before)
        """Whether it begins with a change of the offset; it may also be cut out of a longer one."""
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
            self.is_change = False
        return self


class Zone:
    """A named zone of the tz database, cut into stretches when they are asked for."""

    __slots__ = ("_always", "_data", "_eras", "_info", "name")

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self._eras: dict[int, list[Stretch]] = {}
        self._info: tzinfo | None = None
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

    @property
    def info(self) -> tzinfo:
        """The same zone as the standard library has it."""
        if self._info is None:
            from io import BytesIO
            from zoneinfo import ZoneInfo  # a third of the import time; UTC does without it

            data = BytesIO(self._data)
            self._info = UTC if self.is_utc else ZoneInfo.from_file(data, key=self.name)
        return self._info

    def at(self, instant: datetime) -> Stretch:
        """Return the stretch that holds an instant, given in UTC."""
        if self._always:
            return self._always
        era = self._era(instant.year // ERA)
        for stretch in era:
            if instant < stretch.end:
                return stretch
        return era[-1]

    def changes(self, start: datetime, end: datetime) -> Iterator[Stretch]:
        """Yield the stretches whose start is a change of the offset between two instants."""
        if self.is_fixed:
            return
        for number in range(start.year // ERA, end.year // ERA + 1):
            for stretch in self._era(number):
                if stretch.is_change and start <= stretch.start < end:
                    yield stretch

    def _era(self, number: int) -> list[Stretch]:
        """Return the stretches of a few years of UTC; they are cut at the ends as well."""
        found = self._eras.get(number)
        if found is None:
            found = self._eras[number] = self._cut(number)
        return found

    def _cut(self, number: int) -> list[Stretch]:
        """Find the changes by asking for the offset at certain marks, and between if it differs.

        Two days before the era belong to the search, so that a change on its eve is seen in what
        it repeats.
        """
        years = range(max(FIRST.year, ERA * number), min(LAST.year, ERA * number + ERA - 1) + 1)
        start = datetime(years[0], 1, 1, tzinfo=UTC)
        stop = LAST if years[-1] == LAST.year else datetime(years.stop, 1, 1, tzinfo=UTC)
        at, *marks = self._marks(start - 2 * DAY if number else start, stop, years)
        begin, offset = at, self._offset(at)
        found: list[Stretch] = []
        for mark in marks:
            there = self._offset(mark)
            if there != offset:
                change = self._change(at, mark)
                found.append(Stretch(begin, change, offset, found[-1:]))
                begin, offset = change, there
            at = mark
        found.append(Stretch(begin, stop, offset, found[-1:]))
        return [stretch.cut(start) for stretch in found if stretch.end > start]

    def _marks(self, start: datetime, stop: datetime, years: range) -> list[datetime]:
        """Return instants between any two of which the offset changes once at most.

        These are the changes in the data, and the months: where the data ends a rule begins, and
        no rule makes two changes within a month. The tests ask every zone day by day.
        """
        months = [datetime(y, m, 1, tzinfo=UTC) for y in years for m in range(1, 13)]
        known = [EPOCH + seconds * SECOND for seconds in _transitions(self._data)]
        return sorted({start, stop, *(m for m in months + known if start < m < stop)})

    def _offset(self, instant: datetime) -> timedelta:
        inside = min(max(instant, FIRST + DAY), LAST - DAY)  # where local time can be told
        return inside.astimezone(self.info).utcoffset() or ZERO

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


def _transitions(data: bytes) -> list[int]:
    """Return the changes that the file of a zone lists, in seconds since the epoch (RFC 9636)."""
    header = data.rindex(b"TZif")  # the second header, of the 64-bit data
    count = int.from_bytes(data[header + 32 : header + 36], "big")
    start = header + 44
    seconds = [
        int.from_bytes(data[at : at + 8], "big", signed=True)
        for at in range(start, start + 8 * count, 8)
    ]
    return [second for second in seconds if second >= FIRST_SECOND]


def _fixed_offset(data: bytes) -> timedelta | None:
    """Return the offset of a zone that never changes it, by what its file says."""
    if not data:
        return ZERO
    rule = data.rstrip(b"\n").rpartition(b"\n")[2]
    if _transitions(data) or b"," in rule:
        return None
    start = data.rindex(b"TZif") + 44
    return int.from_bytes(data[start : start + 4], "big", signed=True) * SECOND
