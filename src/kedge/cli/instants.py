"""Instants: read from options, written for people and for programs."""

import re
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

import click

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
GOOD_FORMS = (
    "2026-03-29T06:00:00Z, 2026-03-29T08:00+02:00, 2026-03-29T08:00 or 2026-03-29 "
    "(local time in the schedule's zone), or now"
)
# Tighter than fromisoformat, which takes any character between the date and the time.
_INSTANT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?) ?(Z|z|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)


class Moment(NamedTuple):
    """An instant as an option gave it; without an offset, it waits for a zone."""

    option: str
    read: datetime | None
    """None is the present."""

    def at(self, zone: tzinfo) -> datetime:
        """Return the instant in UTC; what has no offset is local time in the zone."""
        if self.read is None:
            return now()
        local = self.read if self.read.tzinfo else self.read.replace(tzinfo=zone)
        try:
            return local.astimezone(UTC)
        except OverflowError as exc:
            message = "outside the years 1 to 9999"
            raise click.BadParameter(
                message, click.get_current_context(), param_hint=f"'{self.option}'"
            ) from exc


def read_instant(ctx: click.Context, param: click.Parameter, value: str) -> Moment:
    """Read the value of an option, or refuse it with the forms that are good."""
    try:
        return Moment(param.opts[0], None if value == "now" else _parse(value))
    except ValueError as exc:
        raise click.BadParameter(f"{value!r} is not a time; write it as {GOOD_FORMS}") from exc


def now() -> datetime:
    """Ask the clock that the command was run with; the machine's own if none was given."""
    clock = click.get_current_context().obj
    if clock is None:
        from kedge.aio.clock import SystemClock

        clock = SystemClock()
    instant: datetime = clock.now()
    return instant


def in_zone(instant: datetime, zone: tzinfo) -> datetime:
    """Return an instant as the clock of a zone shows it."""
    try:
        return instant.astimezone(zone)
    except OverflowError:
        return instant  # the first or last day of the calendar, where the zone may have no date


def stamp(instant: datetime) -> str:
    """Write an instant in UTC, to the second: `2026-02-27T11:01:00Z`."""
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def reading(local: datetime, *, seconds: bool = False) -> str:
    """Write what a local clock shows: `Mon 2026-03-30 08:00 +02:00`, the offset if it has one."""
    clock = local.replace(tzinfo=None).isoformat(" ", "seconds" if seconds else "minutes")
    offset = local.replace(microsecond=0).isoformat(timespec="seconds")[19:]
    return f"{WEEKDAYS[local.weekday()]} {clock} {offset}".rstrip()


def _parse(text: str) -> datetime:
    found = _INSTANT.fullmatch(text)
    if not found:
        raise ValueError(text)
    date, time, offset = found.groups()
    return datetime.fromisoformat(f"{date}T{time or '00:00'}{(offset or '').upper()}")
