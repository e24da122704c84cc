"""Why a CronJob's schedule or time zone is refused, in the words of Kubernetes' parser.

`kedge.cron` reads the same dialect; it says more, and refuses schedules that never run, which the
server takes.
"""

import re

from kedge.cron import CronError
from kedge.cron.zones import load
from kedge.kube.durations import duration_problem
from kedge.kube.gotext import quote

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
MONTHS = {name: number for number, name in enumerate(MONTH_NAMES, 1)}
WEEKDAYS = {name: number for number, name in enumerate(WEEKDAY_NAMES)}
FIELDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, MONTHS),
    (0, 6, WEEKDAYS),
)
DESCRIPTORS = frozenset(
    ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
)
EVERY = "@every "
WHOLE = re.compile(r"[+-]?[0-9]+")


class _Refused(Exception):
    """The schedule is refused, for the reason in the text."""


def schedule_problem(text: str) -> str:
    """Say why a schedule cannot be read; nothing when it can."""
    try:
        _read(text)
    except _Refused as refused:
        return str(refused)
    return ""


def zone_problem(name: str) -> str:
    """Say why there is no such time zone; nothing when there is."""
    if name == "Local":
        return ""
    try:
        load(name)
    except CronError:
        if ".." in name or name[:1] in ("/", "\\"):
            return "time: invalid location name"
        return f"unknown time zone {name}"
    return ""


def _read(text: str) -> None:
    if text.startswith(("TZ=", "CRON_TZ=")):
        zone, _, text = text.partition("=")[2].partition(" ")
        if problem := zone_problem(zone):
            raise _Refused(f"provided bad location {zone}: {problem}")
        text = text.strip()
    if text.startswith("@"):
        _descriptor(text)
        return
    words = text.split()
    if len(words) != len(FIELDS):
        raise _Refused(
            f"expected exactly {len(FIELDS)} fields, found {len(words)}: [{' '.join(words)}]"
        )
    for word, (low, high, names) in zip(words, FIELDS, strict=True):
        for piece in word.split(","):
            if piece:
                _piece(piece, low, high, names)


def _descriptor(text: str) -> None:
    if text in DESCRIPTORS:
        return
    if not text.startswith(EVERY):
        raise _Refused(f"unrecognized descriptor: {text}")
    if problem := duration_problem(text[len(EVERY) :]):
        raise _Refused(f"failed to parse duration {text}: {problem}")


def _piece(piece: str, low: int, high: int, names: dict[str, int]) -> None:
    """Read one `a`, `a-b` or `*`, each with an optional `/step`."""
    ends, *steps = piece.split("/")
    first, *rest = ends.split("-")
    if first in ("*", "?"):
        start, end = low, high
    else:
        start = _number(first, names)
        end = _number(rest[0], names) if len(rest) == 1 else start
        if len(rest) > 1:
            raise _Refused(f"too many hyphens: {piece}")
    if len(steps) > 1:
        raise _Refused(f"too many slashes: {piece}")
    step = _number(steps[0], {}) if steps else 1
    if steps and not rest:
        end = high  # `a/n` means `a-max/n`
    _check_range(piece, (start, end, step), low, high)


def _check_range(piece: str, numbers: tuple[int, int, int], low: int, high: int) -> None:
    start, end, step = numbers
    if start < low:
        raise _Refused(f"beginning of range ({start}) below minimum ({low}): {piece}")
    if end > high:
        raise _Refused(f"end of range ({end}) above maximum ({high}): {piece}")
    if start > end:
        raise _Refused(f"beginning of range ({start}) beyond end of range ({end}): {piece}")
    if step == 0:
        raise _Refused(f"step of range should be a positive number: {piece}")


def _number(text: str, names: dict[str, int]) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    why = "invalid syntax"
    if text.isascii() and WHOLE.fullmatch(text):
        value = int(text)
        if value < 0 and value >= LOWEST:
            raise _Refused(f"negative number ({value}) not allowed: {text}")
        if LOWEST <= value <= HIGHEST:
            return value
        why = "value out of range"
    raise _Refused(f"failed to parse int from {text}: strconv.Atoi: parsing {quote(text)}: {why}")
