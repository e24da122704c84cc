"""Durations as Go reads and writes them: `1h30m0s`, `1.5s`, `-2us`."""

import re
from datetime import timedelta
from typing import Final

from kedge.kube.gotext import quote

_TERM: Final = re.compile(r"([0-9]*)(\.?)([0-9]*)([^0-9.]*)")
_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_HIGHEST: Final = (1 << 63) - 1
ZERO: Final = timedelta(0)
_PLAIN_TERM: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?([a-zµμ]+)")
_TEXT_LIMIT: Final = 256
"""Far more characters than a duration needs; Python refuses to read numbers of thousands."""


def duration_problem(text: str) -> str:
    """Say why a text is not a duration, in Go's words; empty if it is one."""
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return ""
    bad = f"time: invalid duration {quote(text)}"
    total, at = 0, 0
    while at < len(rest):
        term = _TERM.match(rest, at)
        if not term or not (term[1] or term[3]):
            return bad
        if not term[4]:
            return f"time: missing unit in duration {quote(text)}"
        unit = _UNITS.get(term[4])
        if unit is None:
            return f"time: unknown unit {quote(term[4])} in duration {quote(text)}"
        total += int(term[1] or "0") * unit
        if total > _HIGHEST:
            return bad
        at = term.end()
    return "" if rest else bad


class DurationError(ValueError):
    """A text that is no duration, in Go's words."""


def parse_duration(text: str) -> timedelta:
    """Read a duration to the microsecond, or raise DurationError.

    >>> parse_duration("1h30m")
    datetime.timedelta(seconds=5400)
    """
    if len(text) > _TEXT_LIMIT:
        raise DurationError(f"time: invalid duration {quote(text[:_TEXT_LIMIT])}...")
    problem = duration_problem(text)
    if problem:
        raise DurationError(problem)
    total = sum(_scaled(term) for term in _PLAIN_TERM.finditer(text))
    if total > _HIGHEST:
        raise DurationError(f"time: invalid duration {quote(text)}")
    microseconds = total // 1000
    return timedelta(microseconds=-microseconds if text.startswith("-") else microseconds)


def _scaled(term: re.Match[str]) -> int:
    whole, fraction, unit = term[1] or "0", term[2] or "0", _UNITS[term[3]]
    return int(whole) * unit + int(fraction) * unit // int("1" + "0" * len(fraction))


def duration_of(text: str | None, default: timedelta = ZERO) -> timedelta:
    """Read a field that may be absent; absent and zero give the default."""
    return (parse_duration(text) if text else ZERO) or default


def format_duration(duration: timedelta) -> str:
    """Write a duration as Go does: all units from the largest on, zero is `0s`.

    >>> format_duration(timedelta(days=30))
    '720h0m0s'
    """
    total = round(duration / timedelta(microseconds=1))
    sign, total = ("-", -total) if total < 0 else ("", total)
    if total == 0:
        return "0s"
    if total < 10**6:
        unit, size = ("ms", 1000) if total >= 1000 else ("µs", 1)
        return f"{sign}{_decimal(total, size)}{unit}"
    minutes, rest = divmod(total, 60 * 10**6)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{_decimal(rest, 10**6)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{seconds}"
    return f"{sign}{minutes}m{seconds}" if minutes else f"{sign}{seconds}"


def _decimal(total: int, size: int) -> str:
    """Write total / size without trailing zeros; size is a power of ten."""
    whole, rest = divmod(total, size)
    digits = f"{rest:0{len(str(size)) - 1}d}".rstrip("0") if rest else ""
    return f"{whole}.{digits}" if digits else str(whole)
