"""Instants and spans of time: read, written, and taken apart."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from kedge.apiserver.crd.cel.value import NANO, CelError, Duration, Timestamp

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)?"
)
_SPAN = re.compile(r"([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)")
_PART = re.compile(r"(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)")
_UNITS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": NANO,
    "m": 60 * NANO,
    "h": 3600 * NANO,
}
_LOOSE = re.compile(r"(\d+)\s*([A-Za-zµ]+)")
_WORDS = (
    (("ns", "nano"), 1),
    (("us", "µs", "micro"), 10**3),
    (("ms", "milli"), 10**6),
    (("s", "sec"), NANO),
    (("m", "min"), 60 * NANO),
    (("h", "hr", "hour"), 3600 * NANO),
    (("d", "day"), 86400 * NANO),
    (("w", "wk", "week"), 7 * 86400 * NANO),
)
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST, _LAST = -62135596800 * NANO, 253402300799 * NANO + NANO - 1


def parse_time(text: str) -> Timestamp:
    """Read an instant of RFC 3339. Raises ValueError."""
    found = _TIME.fullmatch(text)
    if found is None or found[8] is None:
        raise ValueError(f'parsing time "{text}"')
    moment = _instant(found)
    if not _FIRST <= moment.nanos <= _LAST:
        raise ValueError("time out of range")
    return moment


def parse_loose_time(text: str) -> Timestamp:
    """Read an instant; one without a zone is in UTC. Raises ValueError."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f'parsing time "{text}"')
    return _instant(found)


def _instant(found: re.Match[str]) -> Timestamp:
    year, month, day, hour, minute, second = (int(found[i]) for i in range(1, 7))
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("time out of range")
    days = date(year or 4, month, day).toordinal() - _EPOCH
    if year == 0:
        days -= date(4, 1, 1).toordinal() - 1 + 366
    seconds = days * 86400 + hour * 3600 + minute * 60 + second - _offset(found[8] or "Z")
    return Timestamp(seconds * NANO + int((found[7] or "").ljust(9, "0")))


def _offset(zone: str) -> int:
    if zone in "Zz":
        return 0
    sign = -1 if zone[0] == "-" else 1
    return sign * (int(zone[1:3]) * 3600 + int(zone[4:6]) * 60)


def parse_duration(text: str) -> Duration:
    """Read a span as Go writes it: 1h30m, 1.5s. Raises ValueError."""
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError(f'time: invalid duration "{text}"')
    total = 0
    for whole, fraction, unit in _PART.findall(found[2]):
        size = _UNITS[unit]
        total += int(whole or 0) * size
        total += int(fraction or 0) * size // 10 ** len(fraction)
    return checked(-total if found[1] == "-" else total)


def parse_loose_duration(text: str) -> Duration:
    """Read a span as Go writes it, or in words: 3 days. Raises ValueError."""
    try:
        return parse_duration(text)
    except ValueError:
        pass
    total, known = 0, False
    for digits, word in _LOOSE.findall(text):
        for names, size in _WORDS:
            if word.lower() in names or word.lower().startswith(names[-1]):
                total, known = total + int(digits) * size, True
    if not known:
        raise ValueError(f"unable to parse {text} as duration")
    return Duration(total)


def checked(nanos: int) -> Duration:
    """Give a span that fits 64 bits. Raises CelError."""
    if not -(2**63) <= nanos < 2**63:
        raise CelError("integer overflow")
    return Duration(nanos)


def instant(nanos: int) -> Timestamp:
    """Give an instant between the years 1 and 9999. Raises CelError."""
    if not _FIRST <= nanos <= _LAST:
        raise CelError("timestamp overflow")
    return Timestamp(nanos)


def time_text(value: Timestamp) -> str:
    """Write an instant in UTC."""
    seconds, rest = divmod(value.nanos, NANO)
    text = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).strftime(
        "%Y-%m-%dT%H:%M:%S"
    )
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{text.rjust(19, '0')}{fraction}Z"


def duration_text(value: Duration) -> str:
    """Write a span in seconds."""
    sign = "-" if value.nanos < 0 else ""
    seconds, rest = divmod(abs(value.nanos), NANO)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{sign}{seconds}{fraction}s"


def local(value: Timestamp, zone: str | None) -> datetime:
    """Give the calendar and clock of an instant in a zone: a name or an offset. Raises CelError."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value.nanos // NANO)
    if not zone:
        return moment
    found = re.fullmatch(r"([+-]?)(\d\d):(\d\d)", zone)
    try:
        if found is None:
            return moment.astimezone(ZoneInfo(zone))
        span = timedelta(hours=int(found[2]), minutes=int(found[3]))  # it may be of days
        return moment - span if found[1] == "-" else moment + span
    except OverflowError:
        raise CelError("timestamp overflow") from None
    except (ZoneInfoNotFoundError, ValueError):
        raise CelError(f"unknown time zone {zone}") from None
