"""Text to Schedule: the zone prefix, the descriptors, the five fields.

The dialect is that of robfig/cron v3's ParseStandard, to the letter where it accepts something;
it is written down in docs/reference/cron.md.
"""

from datetime import tzinfo

from kedge.cron.calendar import Calendar
from kedge.cron.days import rule
from kedge.cron.duration import parse_seconds
from kedge.cron.errors import CronError
from kedge.cron.every import Every
from kedge.cron.fields import FIELDS
from kedge.cron.schedule import Schedule
from kedge.cron.zones import Zone, load

LONGEST_TEXT = 65_536
"""No schedule that a person wrote comes near; a text beyond it is refused before it is read."""
DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
EVERY = "@every "
POLICIES = ("wall", "once")
# str.split takes these for white space, the original does not.
SEPARATORS = "\x1c\x1d\x1e\x1f"

Errors = list[CronError]


def parse(text: str, *, zone: str | tzinfo | None = None, dst: str = "wall") -> Schedule:
    """Read an expression; CronError names the field and the piece that cannot be.

    `zone` counts where the text has no `TZ=` or `CRON_TZ=` prefix; without either it is UTC.
    """
    errors: Errors = []
    schedule = _read(text, zone, dst, errors)
    if schedule is None:
        raise errors[0]
    return schedule


def problems(text: str, *, zone: str | tzinfo | None = None) -> tuple[CronError, ...]:
    """Return all that is wrong with an expression; nothing when it can be parsed."""
    errors: Errors = []
    _read(text, zone, "wall", errors)
    return tuple(errors)


def _read(text: str, zone: str | tzinfo | None, dst: str, errors: Errors) -> Schedule | None:
    """Return the schedule, or None after adding to the errors."""
    if len(text) > LONGEST_TEXT:
        reason = f"{len(text)} characters are too many; a schedule has at most {LONGEST_TEXT}"
        errors.append(CronError(reason, field="expression", piece=text[:20], position=0))
        return None
    if dst not in POLICIES:
        errors.append(CronError("use wall or once", field="dst", piece=str(dst)))
    place, spec, start = _zone(text, zone, errors)
    if spec.startswith(EVERY):
        seconds = _every(spec, start, errors)
        return Every(seconds, place, dst) if place and seconds and not errors else None
    sets = _sets(spec, start, errors)
    if sets is None or place is None or errors:
        return None
    (minutes, _), (hours, _), (days, any_day), (months, _), (weekdays, any_weekday) = sets
    matching = rule(days, months, weekdays, either=not (any_day or any_weekday))
    if not minutes or not hours or matching.is_empty:
        errors.append(_never(spec, start, minutes, hours, months))
        return None
    return Calendar(minutes, hours, matching, place, dst)


def _zone(text: str, zone: str | tzinfo | None, errors: Errors) -> tuple[Zone | None, str, int]:
    """Return the zone, the rest of the text, and where that starts."""
    name, start = "" if zone is None else str(zone), 0
    position = None
    if text.startswith(("TZ=", "CRON_TZ=")):
        position = text.index("=") + 1
        end = text.find(" ")
        if end < 0:
            reason = "nothing follows the zone; write the five fields behind it"
            errors.append(CronError(reason, field="expression", piece=text, position=0))
            return None, "", len(text)
        if text[position:end] != "Local":  # which means: as if nothing was said
            name = text[position:end]
        rest = text[end:].strip()
        start = len(text) - len(text[end:].lstrip())
        text = rest
    try:
        return load(name), text, start
    except CronError as exc:
        exc.position = position
        errors.append(exc)
        return None, text, start


def _every(spec: str, start: int, errors: Errors) -> int | None:
    try:
        return parse_seconds(spec[len(EVERY) :], start + len(EVERY))
    except CronError as exc:
        errors.append(exc)
        return None


def _sets(spec: str, start: int, errors: Errors) -> list[tuple[int, bool]] | None:
    """Return the five sets, each with whether it is unrestricted."""
    if spec.startswith("@"):
        known = DESCRIPTORS.get(spec)
        if known is None:
            reason = f"unknown; use one of {', '.join(DESCRIPTORS)}, @every 1h30m"
            errors.append(CronError(reason, field="descriptor", piece=spec, position=start))
            return None
        spec = known
    words = spec.split()
    if len(words) != len(FIELDS):
        names = ", ".join(field.name for field in FIELDS)
        reason = f"{len(words)} fields where five are needed: {names}"
        errors.append(CronError(reason, field="expression", piece=spec, position=start))
        return None
    sets, end = [], 0
    for field, word in zip(FIELDS, words, strict=True):
        at = spec.index(word, end)
        end = at + len(word)
        try:
            sets.append(field.parse(word, start + at))
        except CronError as exc:
            errors.append(exc)
    return sets


def _never(spec: str, start: int, minutes: int, hours: int, months: int) -> CronError:
    """Name the field that leaves a schedule without a single run."""
    empty = (not minutes, not hours, False, not months)
    if any(empty):
        field = FIELDS[empty.index(True)].name
        reason = "the list is empty, so it never runs; write * for all"
        return CronError(reason, field=field, piece=spec.split()[empty.index(True)])
    reason = "no month has such a day, so it never runs"
    return CronError(reason, field="day of month", piece=spec.split()[2], position=start)
