"""Times as Kubernetes writes and reads them: RFC 3339 in UTC, to the second or the microsecond.

Reading follows Go's time.Parse: what it takes (a one-digit hour, a comma before the fraction, any
offset), and what it says about the rest.
"""

import re
from datetime import UTC, datetime
from typing import Final, NamedTuple

SECONDS_LAYOUT: Final = "2006-01-02T15:04:05Z07:00"
MICROS_LAYOUT: Final = "2006-01-02T15:04:05.000000Z07:00"


class TimeError(ValueError):
    """A text that is no time, in Go's words."""


class Moment(NamedTuple):
    """An instant: seconds since 1970 and nanoseconds. Unlike datetime it reaches before year 1."""

    seconds: int
    nanos: int


ZERO: Final = Moment(-62135596800, 0)
"""The beginning of year 1: Go's zero time, which is written as null."""


def format_time(when: datetime) -> str:
    """Write an instant to the second: `2024-05-01T12:00:00Z`."""
    when = when if when.tzinfo is UTC else when.astimezone(UTC)
    return when.isoformat(timespec="seconds")[:19] + "Z"


def format_micro_time(when: datetime) -> str:
    """Write an instant to the microsecond: `2024-05-01T12:00:00.000000Z`."""
    return when.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"


def parse_time(text: str) -> datetime:
    """Read a time; what lies outside the years 1 to 9999 becomes their first or last second."""
    if _PLAIN.fullmatch(text):
        return datetime.fromisoformat(text)  # nearly all are written so, and it is fast
    return _to_datetime(_read(text, SECONDS_LAYOUT))


def parse_micro_time(text: str) -> datetime:
    """Read a time that has six digits after the second."""
    return _to_datetime(_read(text, MICROS_LAYOUT))


_PLAIN: Final = re.compile(
    r"[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])"
    r"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{6})?Z",
    re.ASCII,
)


def canonical_time(text: str) -> str | None:
    """Rewrite a time as the server gives it back: in UTC, to the second; None for the zero time."""
    plain = _PLAIN.fullmatch(text)
    if plain and not plain[1]:
        return text
    return _write(_read(text, SECONDS_LAYOUT), "Z")


def canonical_micro_time(text: str) -> str | None:
    """Rewrite a time with microseconds as the server gives it back."""
    plain = _PLAIN.fullmatch(text)
    if plain and plain[1]:
        return text
    moment = _read(text, MICROS_LAYOUT)
    return _write(moment, f".{moment.nanos // 1000:06d}Z")


def _to_datetime(moment: Moment) -> datetime:
    last = datetime.max.replace(tzinfo=UTC)
    if moment.seconds < ZERO.seconds:
        return datetime.min.replace(tzinfo=UTC)
    if moment.seconds > last.timestamp():
        return last
    days, seconds = divmod(moment.seconds - ZERO.seconds, 86400)
    day = datetime.fromordinal(days + 1)
    return day.replace(
        hour=seconds // 3600,
        minute=seconds // 60 % 60,
        second=seconds % 60,
        microsecond=moment.nanos // 1000,
        tzinfo=UTC,
    )


def _write(moment: Moment, tail: str) -> str | None:
    if moment == ZERO:
        return None
    days, seconds = divmod(moment.seconds, 86400)
    year, month, day = _civil(days)
    date = f"{'-' if year < 0 else ''}{abs(year):04d}-{month:02d}-{day:02d}"
    return f"{date}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{tail}"


def _days(year: int, month: int, day: int) -> int:
    """Count the days from 1970-01-01; the year starts in March, so that leap days come last."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def _civil(days: int) -> tuple[int, int, int]:
    """Find year, month and day; the inverse of `_days`."""
    era, of_era = divmod(days + 719468, 146097)
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1


class _Reader:
    """Takes a text apart by a layout, element by element, as Go does."""

    def __init__(self, text: str, layout: str) -> None:
        # Go counts bytes: one character here stands for one byte there.
        self.whole = self.rest = text.encode("utf-8", "surrogatepass").decode("latin-1")
        self.layout = layout

    def fail(self, element: str, at: str) -> TimeError:
        """Say which element does not fit."""
        told = f"cannot parse {_quote(at)} as {_quote(element)}"
        return TimeError(f"parsing time {_quote(self.whole)} as {_quote(self.layout)}: {told}")

    def out_of_range(self, what: str) -> TimeError:
        """Say that a number is too large or too small."""
        return TimeError(f"parsing time {_quote(self.whole)}: {what} out of range")

    def literal(self, text: str) -> None:
        """Skip a separator."""
        if not self.rest.startswith(text):
            raise self.fail(text, self.rest)
        self.rest = self.rest[1:]

    def year(self) -> int:
        """Take four digits."""
        found = re.match("[0-9]{4}", self.rest)
        if not found:
            raise self.fail("2006", self.rest)
        self.rest = self.rest[4:]
        return int(found[0])

    def number(self, element: str, least: int = 2) -> int:
        """Take two digits, or one where Go is content with it."""
        found = re.match(f"[0-9]{{{least},2}}", self.rest)
        if not found:
            raise self.fail(element, self.rest)
        self.rest = self.rest[found.end() :]
        return int(found[0])

    def fraction(self) -> int:
        """Take what follows the second, if the layout does not name it; give nanoseconds."""
        found = re.match("[.,]([0-9]+)", self.rest)
        if not found:
            return 0
        self.rest = self.rest[found.end() :]
        return int(found[1][:9].ljust(9, "0"))

    def micros(self) -> int:
        """Take a fraction of exactly six digits; give nanoseconds."""
        found = re.match("[.,]([0-9]{6}|[-+][0-9]{5})", self.rest)
        if not found:
            raise self.fail(".000000", self.rest)
        self.rest = self.rest[7:]
        if int(found[1]) < 0:
            raise self.out_of_range("fractional second")
        return int(found[1]) * 1000

    def offset(self) -> int:
        """Take `Z` or the distance from UTC; give seconds."""
        if self.rest.startswith("Z"):
            self.rest = self.rest[1:]
            return 0
        found = re.match("(.)([0-9]{2}):(..)", self.rest, re.DOTALL)
        if not found:
            raise self.fail("Z07:00", self.rest)
        sign, hours = found[1], int(found[2])
        minutes = int(found[3]) if re.fullmatch("[0-9]{2}", found[3]) else None
        # Go lets 24 hours and 60 minutes pass: some people write them.
        if minutes is not None and minutes > 60:
            raise self.out_of_range("time zone offset minute")
        if hours > 24:
            raise self.out_of_range("time zone offset hour")
        if minutes is None or sign not in "+-":
            raise self.fail("Z07:00", self.rest)
        self.rest = self.rest[6:]
        return (hours * 60 + minutes) * (60 if sign == "+" else -60)

    def end(self) -> None:
        """Insist that nothing is left."""
        if self.rest:
            told = f"extra text: {_quote(self.rest)}"
            raise TimeError(f"parsing time {_quote(self.whole)}: {told}")


def _read(text: str, layout: str) -> Moment:
    reader = _Reader(text, layout)
    year = reader.year()
    reader.literal("-")
    month = reader.number("01")
    if not 1 <= month <= 12:
        raise reader.out_of_range("month")
    reader.literal("-")
    day = reader.number("02")
    reader.literal("T")
    seconds, nanos = _clock(reader, layout == MICROS_LAYOUT)
    seconds -= reader.offset()
    reader.end()
    if not 1 <= day <= _month_length(year, month):
        raise reader.out_of_range("day")
    return Moment(_days(year, month, day) * 86400 + seconds, nanos)


def _clock(reader: _Reader, micros: bool) -> tuple[int, int]:
    hour = reader.number("15", least=1)
    if hour > 23:
        raise reader.out_of_range("hour")
    reader.literal(":")
    minute = reader.number("04")
    if minute > 59:
        raise reader.out_of_range("minute")
    reader.literal(":")
    second = reader.number("05")
    if second > 59:
        raise reader.out_of_range("second")
    nanos = reader.micros() if micros else reader.fraction()
    return hour * 3600 + minute * 60 + second, nanos


def _month_length(year: int, month: int) -> int:
    following = _days(year, month + 1, 1) if month < 12 else _days(year + 1, 1, 1)
    return following - _days(year, month, 1)


def _quote(text: str) -> str:
    """Quote as Go's time package does: all that is not ASCII byte by byte."""
    out = []
    for char in text:
        if char < " " or char >= "\x80":
            out.append(f"\\x{ord(char):02x}")
        else:
            out.append(f"\\{char}" if char in '"\\' else char)
    return f'"{"".join(out)}"'
