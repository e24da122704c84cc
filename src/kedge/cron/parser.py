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
from kedge.cron.fields import DAY, FIELDS
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
NOT_SPACES = "\x1c\x1d\x1e\x1f"
"""White space to `str.split`, but not to the original, which refuses them."""

Errors = list[CronError]
Word = tuple[str, int]
"""A part of the text, and where it starts."""


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
    try:
        _check_whole(text, dst)
        spec, start, prefix = _split_prefix(text)
    except CronError as exc:
        errors.append(exc)
        return None
    place = _zone(zone, prefix, errors)
    if spec.startswith(EVERY):
        try:
            seconds = parse_seconds(spec[len(EVERY) :], start + len(EVERY))
        except CronError as exc:
            errors.append(exc)
        return None if errors or place is None else Every(seconds, place, dst)
    try:
        words = _words(spec, start)
    except CronError as exc:
        errors.append(exc)
        return None
    sets = []
    for field, (word, position) in zip(FIELDS, words, strict=True):
        try:
            sets.append(field.parse(word, position))
        except CronError as exc:
            errors.append(exc)
    return None if errors or place is None else _calendar(sets, words, place, dst, errors)


def _check_whole(text: str, dst: str) -> None:
    """Refuse what need not be read to be refused."""
    if len(text) > LONGEST_TEXT:
        reason = f"{len(text)} characters are too many; a schedule has at most {LONGEST_TEXT}"
        raise CronError(reason, field="expression", piece=text[:20], position=0)
    for char in NOT_SPACES:
        if char in text:
            reason = "a control character; separate the fields by spaces"
            position = text.index(char)
            raise CronError(reason, field="expression", piece=char, position=position)
    if dst not in POLICIES:
        raise CronError("use wall or once", field="dst", piece=str(dst))


def _split_prefix(text: str) -> tuple[str, int, Word | None]:
    """Return the schedule without its zone, where it starts, and the zone if there is one."""
    if not text.startswith(("TZ=", "CRON_TZ=")):
        return text, 0, None
    position = text.index("=") + 1
    end = text.find(" ")
    if end < 0:
        reason = "nothing follows the zone; write a space and the five fields behind it"
        raise CronError(reason, field="expression", piece=text, position=0)
    rest = text[end:].lstrip()
    name = text[position:end]
    prefix = None if name == "Local" else (name, position)  # which is to say nothing
    return rest.rstrip(), len(text) - len(rest), prefix


def _zone(zone: str | tzinfo | None, prefix: Word | None, errors: Errors) -> Zone | None:
    try:
        if prefix:
            return load(prefix[0])
        return load("UTC" if zone is None else str(zone))
    except CronError as exc:
        exc.position = prefix[1] if prefix else None
        errors.append(exc)
        return None


def _words(spec: str, start: int) -> list[Word]:
    """Return the five fields, those of a descriptor too."""
    if spec.startswith("@"):
        fields = DESCRIPTORS.get(spec)
        if fields is None:
            reason = f"unknown; use {', '.join(DESCRIPTORS)} or @every 1h30m"
            raise CronError(reason, field="descriptor", piece=spec, position=start)
        return [(word, start) for word in fields.split()]
    words, end = [], 0
    for word in spec.split():
        at = spec.index(word, end)
        end = at + len(word)
        words.append((word, start + at))
    if len(words) != len(FIELDS):
        names = ", ".join(field.name for field in FIELDS)
        reason = f"{len(words)} of five fields; needed are {names}"
        raise CronError(reason, field="expression", piece=spec, position=start)
    return words


def _calendar(
    sets: list[tuple[int, bool]], words: list[Word], zone: Zone, dst: str, errors: Errors
) -> Calendar | None:
    """Join the five sets, unless they never meet."""
    (minutes, _), (hours, _), (days, any_day), (months, _), (weekdays, any_weekday) = sets
    matching = rule(days, months, weekdays, either=not (any_day or any_weekday))
    if minutes and hours and not matching.is_empty:
        return Calendar(minutes, hours, matching, zone, dst)
    empty = [index for index, (mask, _) in enumerate(sets) if not mask]
    index = empty[0] if empty else FIELDS.index(DAY)
    reason = "an empty list; write * for all" if empty else "no such day in these months"
    word, position = words[index]
    field = FIELDS[index].name
    errors.append(CronError(f"{reason}: it never runs", field=field, piece=word, position=position))
    return None
