"""Durations as people write them (`1h30m`) and read them (`in 3h 12m`).

`kedge warmup` needs it too, and has no time for click, which only a refusal needs.
"""

from __future__ import annotations

import re
from datetime import timedelta

TYPE_CHECKING = False
if TYPE_CHECKING:  # this way, because typing would be imported for nothing else
    import click

GOOD_FORMS = "10 (minutes), 10m, 1h30m, 2d or 1d12h"
# re.ASCII: other scripts have digits too, and a look-alike must not pass. Seven digits of
# seconds are a season, seven of days are more than the calendar has: none overflows.
_UNITS = re.compile(
    r"(?:([0-9]{1,7})d)?(?:([0-9]{1,7})h)?(?:([0-9]{1,7})m)?(?:([0-9]{1,7})s)?", re.ASCII
)
_MINUTES = re.compile(r"[0-9]{1,7}", re.ASCII)


def read_duration(ctx: click.Context, param: click.Parameter, value: str) -> timedelta:
    """Read the value of an option, or refuse it with the forms that are good."""
    import click

    duration = parse_duration(value)
    if duration is None:
        raise click.BadParameter(f"{value!r} is not a duration; write it as {GOOD_FORMS}")
    if not duration:
        raise click.BadParameter(f"{value!r} is no time at all; write it as {GOOD_FORMS}")
    return duration


def parse_duration(text: str) -> timedelta | None:
    """Read days, hours, minutes, seconds in this order; a bare number is minutes.

    None when it is not a duration.

    >>> parse_duration("1h30m")
    datetime.timedelta(seconds=5400)
    """
    if _MINUTES.fullmatch(text):
        return timedelta(minutes=int(text))
    found = _UNITS.fullmatch(text)
    if not text or not found:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def span(duration: timedelta, units: int = 2) -> str:
    """Write a duration by its largest units: two tell how far away, four are exact to a second.

    >>> span(timedelta(hours=3, minutes=12, seconds=5))
    '3h 12m'
    """
    minutes, seconds = divmod(int(abs(duration).total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "m"), (seconds, "s")]
    first = next((n for n, (count, _) in enumerate(parts) if count), len(parts) - 1)
    shown = [f"{n}{unit}" for n, unit in parts[first : first + units] if n]
    return " ".join(shown) or "0s"


def distance(duration: timedelta) -> str:
    """Write how far away something is that comes after this duration."""
    if abs(duration) < timedelta(seconds=1):
        return "now"
    return f"in {span(duration)}" if duration > timedelta(0) else f"{span(duration)} ago"
