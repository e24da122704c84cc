"""How long ago something was, in two or three digits for people: `47s`, `5m30s`, `2d3h`."""

from datetime import datetime, timedelta
from typing import Final

from kedge.kube.times import parse_time

UNKNOWN: Final = "<unknown>"
"""For a time that is not there."""
INVALID: Final = "<invalid>"
"""For a time that is yet to come, by more than clocks may differ."""

_MINUTE, _HOUR, _DAY, _YEAR = 60, 3600, 86400, 365 * 86400
_LONGEST: Final = (2**63 - 1) // 10**9  # a Go duration is 64 bits of nanoseconds

# Below so many seconds: the unit in which the age is told, and the one for what is left over.
_STEPS: Final = (
    (2 * _MINUTE, 1, "s", 0, ""),
    (10 * _MINUTE, _MINUTE, "m", 1, "s"),
    (3 * _HOUR, _MINUTE, "m", 0, ""),
    (8 * _HOUR, _HOUR, "h", _MINUTE, "m"),
    (2 * _DAY, _HOUR, "h", 0, ""),
    (8 * _DAY, _DAY, "d", _HOUR, "h"),
    (2 * _YEAR, _DAY, "d", 0, ""),
    (8 * _YEAR, _YEAR, "y", _DAY, "d"),
)


def human_duration(elapsed: timedelta) -> str:
    """Tell a duration as kubectl does; up to two seconds below zero count as none."""
    seconds = elapsed.days * _DAY + elapsed.seconds
    if seconds < 0:
        if elapsed.microseconds:
            seconds += 1  # towards zero
        return "0s" if seconds >= -1 else INVALID
    for limit, unit, letter, rest_unit, rest_letter in _STEPS:
        if seconds < limit:
            rest = seconds % unit // rest_unit if rest_unit else 0
            told = f"{seconds // unit}{letter}"
            return f"{told}{rest}{rest_letter}" if rest else told
    return f"{min(seconds, _LONGEST) // _YEAR}y"


_SHORT: Final = ((_MINUTE, 1, "s"), (_HOUR, _MINUTE, "m"), (_DAY, _HOUR, "h"), (_YEAR, _DAY, "d"))


def short_duration(elapsed: timedelta) -> str:
    """Tell a duration that is not negative by its largest unit alone, as Velero's tables do.

    >>> short_duration(timedelta(hours=2, minutes=59))
    '2h'
    """
    seconds = min(elapsed.days * _DAY + elapsed.seconds, _LONGEST)
    for limit, unit, letter in _SHORT:
        if seconds < limit:
            return f"{seconds // unit}{letter}"
    return f"{seconds // _YEAR}y"


def instant(when: str) -> datetime:
    """Read a time as the server writes it, faster than one that may have any form."""
    try:
        return datetime.fromisoformat(when)
    except ValueError:  # the year 0, which is before Python's first
        return parse_time(when)


def since(when: str | None, now: datetime) -> str:
    """Tell the age of a time as the server writes it; none is unknown."""
    return human_duration(now - instant(when)) if when else UNKNOWN
