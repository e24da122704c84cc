"""Options of ours on a Schedule: annotations, as Velero's tools drop fields they do not know."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Final, NamedTuple

from kedge.kube.durations import ZERO, DurationError, parse_duration
from kedge.kube.gotext import quote
from kedge.kube.times import TimeError, parse_time

PREFIX: Final = "kedge.dev/"
MISSED_RUNS: Final = "kedge.dev/missed-runs"
STARTING_DEADLINE: Final = "kedge.dev/starting-deadline"
DST: Final = "kedge.dev/dst"
JITTER: Final = "kedge.dev/jitter"
PAUSE_UNTIL: Final = "kedge.dev/pause-until"
SKIP_IMMEDIATELY: Final = "kedge.dev/skip-immediately"
DUE: Final = "kedge.dev/due"
"""On a Backup that a Schedule made: the instant that it was due."""
WAS_PAUSED: Final = "kedge.dev/was-paused"
"""On a Schedule whose status can hold no conditions: a note of the server's, not an option."""

JITTER_LIMIT: Final = timedelta(hours=24)
ALWAYS: Final = "always"
_SHOWN: Final = 256
_NUMBER: Final = re.compile(r"[0-9]{1,6}", re.ASCII)


class MissedRuns(StrEnum):
    """What becomes of runs that could not be made in time."""

    ONCE = "once"
    """One run at the first opportunity, however many were missed."""
    SKIP = "skip"
    """None of them is made up for."""


class Dst(StrEnum):
    """What happens when the clocks are changed."""

    WALL = "wall"
    """What the clock on the wall does not show is not run, what it shows twice runs twice."""
    ONCE = "once"
    """Every run that the expression means takes place once."""


@dataclass(frozen=True, slots=True)
class ScheduleOptions:
    """The options of a Schedule; one that is wrong has its default, and a text in `errors`."""

    missed_runs: MissedRuns = MissedRuns.ONCE
    starting_deadline: timedelta | None = None
    """How long after its time a run may still start; None: at any time."""
    dst: Dst = Dst.WALL
    jitter: timedelta = ZERO
    """The longest time by which runs are put off."""
    pause_until: datetime | None = None
    skip_always: bool = False
    """Whether a run that is due when the Schedule is made or unpaused is skipped, each time."""
    errors: tuple[str, ...] = ()
    """What is wrong, each with the name of the annotation and a way to mend it."""
    warnings: tuple[str, ...] = field(default=(), compare=False)
    """Annotations that have no effect, and why."""


class _Wrong(ValueError):
    """What is wrong with a value, and how to write it instead."""


class _Option(NamedTuple):
    field: str
    read: Callable[[str], Any]


def options_of(annotations: Mapping[str, str] | None) -> ScheduleOptions:
    """Read the options from the annotations of a Schedule; it never raises."""
    ours = {key: text for key, text in (annotations or {}).items() if _is_ours(key)}
    values: dict[str, Any] = {}
    errors, warnings = [], []
    for key in sorted(ours):
        option = _OPTIONS.get(key)
        if option is None:
            warnings += [] if key == WAS_PAUSED else [_unknown(key)]
            continue
        try:
            values[option.field] = option.read(ours[key])
        except _Wrong as exc:
            errors.append(f"annotation {key}: {exc}")
    return ScheduleOptions(**values, errors=tuple(errors), warnings=tuple(warnings))


def _is_ours(key: str) -> bool:
    # An upper-case prefix is another name to Kubernetes, and a slip of the pen to us.
    return key.lower().startswith(PREFIX)


def _unknown(key: str) -> str:
    shown = key[:_SHOWN]
    if key == DUE:
        return f"annotation {key} has no effect on a Schedule: it marks the Backups of one"
    near = get_close_matches(key.lower(), _OPTIONS, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(_OPTIONS))}"
    return f"annotation {shown} is not known and has no effect; {hint}"


def _quoted(text: str) -> str:
    return quote(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def _missed_runs(text: str) -> MissedRuns:
    try:
        return MissedRuns(text)
    except ValueError:
        raise _Wrong(
            f'{_quoted(text)} is not known; write "once" to make up for missed runs by one, '
            'or "skip" to leave them out'
        ) from None


def _dst(text: str) -> Dst:
    try:
        return Dst(text)
    except ValueError:
        raise _Wrong(
            f'{_quoted(text)} is not known; write "wall" to follow the clock on the wall, '
            'or "once" to run each time once when the clocks are changed'
        ) from None


def _duration(text: str) -> timedelta:
    try:
        return parse_duration(text)
    except DurationError:
        hint = f"{text}s or {text}m" if _NUMBER.fullmatch(text) else "30s, 15m or 1h30m"
        raise _Wrong(f"{_quoted(text)} is not a duration; write it as {hint}") from None


def _starting_deadline(text: str) -> timedelta:
    duration = _duration(text)
    if duration <= ZERO:
        raise _Wrong(
            f"{_quoted(text)} leaves no time to start; write a duration above zero such as 10m, "
            "or remove it to start at any time"
        )
    return duration


def _jitter(text: str) -> timedelta:
    duration = _duration(text)
    if duration < ZERO:
        raise _Wrong(f"{_quoted(text)} is negative; write a duration such as 15m, or 0s for none")
    if duration >= JITTER_LIMIT:
        raise _Wrong(f"{_quoted(text)} is too long; write a duration below 24h")
    return duration


def _pause_until(text: str) -> datetime:
    try:
        return parse_time(text)
    except TimeError:
        raise _Wrong(
            f"{_quoted(text)} is not a time with a zone; write it as 2026-01-31T08:00:00Z "
            "or 2026-01-31T08:00:00+01:00"
        ) from None


def _skip_immediately(text: str) -> bool:
    if text != ALWAYS:
        raise _Wrong(
            f'{_quoted(text)} is not known; write "{ALWAYS}", or remove it and set '
            "spec.skipImmediately to skip one time"
        )
    return True


_OPTIONS: Final = {
    MISSED_RUNS: _Option("missed_runs", _missed_runs),
    STARTING_DEADLINE: _Option("starting_deadline", _starting_deadline),
    DST: _Option("dst", _dst),
    JITTER: _Option("jitter", _jitter),
    PAUSE_UNTIL: _Option("pause_until", _pause_until),
    SKIP_IMMEDIATELY: _Option("skip_always", _skip_immediately),
}
