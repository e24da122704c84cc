"""What a decision makes of the status of a Schedule, and what is told of it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

from kedge.api.velero.schedule import Schedule, SchedulePhase
from kedge.controllers.schedule.decide import (
    Blocked,
    Decision,
    Hold,
    Missed,
    Run,
    Skip,
    Wait,
    plausible,
)
from kedge.controllers.schedule.reading import PAUSED, SKIPPED, Wrong
from kedge.kube.conditions import Condition, condition, find_condition, is_condition, set_condition
from kedge.kube.times import format_time, parse_time

READY: Final = "Ready"
BLOCKED: Final = "Blocked"
EXTRAS: Final = ("nextRun", "observedGeneration", "conditions")
"""Fields that a stock Velero's Schedules do not have, and drop without a word."""
NORMAL: Final = "Normal"
WARNING: Final = "Warning"


@dataclass(frozen=True, slots=True)
class Refused:
    """The server does not take the Backup of an instant."""

    next: datetime
    why: str


Outcome: TypeAlias = Decision | Wrong | Refused


@dataclass(frozen=True, slots=True)
class Note:
    """What an Event tells."""

    type: str
    reason: str
    message: str


def status_for(schedule: Schedule, outcome: Outcome, now: datetime) -> dict[str, Any]:
    """Give the whole status that a Schedule should have."""
    old = schedule.status
    is_wrong = isinstance(outcome, Wrong)
    last_backup, last_skipped = _past(old.last_backup, now), _past(old.last_skipped, now)
    match outcome:
        case Run():
            last_backup = format_time(now)
        case Skip(last_backup=known, moves_base=moves):
            last_backup = _text(known) or last_backup
            last_skipped = format_time(now) if moves else last_skipped
        case Missed(last_backup=known):
            last_backup, last_skipped = _text(known) or last_backup, format_time(now)
        case Wait(last_backup=known) | Blocked(last_backup=known):
            last_backup = _text(known) or last_backup
    phase = SchedulePhase.FAILED_VALIDATION if is_wrong else SchedulePhase.ENABLED
    return {
        "phase": phase.value,
        "lastBackup": last_backup,
        "lastSkipped": last_skipped,
        "validationErrors": list(outcome.errors) if isinstance(outcome, Wrong) else None,
        "nextRun": _next(outcome),
        "observedGeneration": schedule.metadata.generation,
        "conditions": _conditions(schedule, outcome, now),
    }


def difference(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a merge patch must say to make the old status the new one."""
    known = old or {}
    return {name: value for name, value in new.items() if known.get(name) != value}


def notes_for(schedule: Schedule, outcome: Outcome) -> list[Note]:
    """Tell what a person would want to know of; what was told already is not told again."""
    match outcome:
        case Wrong(errors) if list(errors) != schedule.status.validation_errors:
            return [Note(WARNING, "FailedValidation", "; ".join(errors))]
        case Skip(moves_base=True, next=following):
            text = f"the run that may be due is skipped; the next run is {format_time(following)}"
            return [Note(NORMAL, "Skipped", text)]
        case Missed(due, count):
            return [Note(WARNING, "MissedRuns", f"{_runs(count)} missed, the last {_at(due)}")]
        case Blocked(due, by) if not is_condition(schedule.status.conditions, BLOCKED):
            text = f"the run {_at(due)} waits: Backup {by} is not finished"
            return [Note(WARNING, "Overlap", text)]
        case Refused(due, why) if not _is_told(schedule, why):
            return [Note(WARNING, "BackupRefused", f"the Backup {_at(due)} is refused: {why}")]
        case Run(due, missed) if missed:
            text = f"{_runs(missed)} missed; the run {_at(due)} takes place now"
            return [Note(WARNING, "MissedRuns", text)]
    return []


def _next(outcome: Outcome) -> str | None:
    match outcome:
        case Wait(following) | Skip(following) | Run(next=following) | Missed(next=following):
            return format_time(following)
        case Blocked(due) | Refused(due):
            return format_time(due)
        case _:
            return None


def _conditions(schedule: Schedule, outcome: Outcome, now: datetime) -> list[Condition]:
    conditions = list(schedule.status.conditions or ())
    generation = schedule.metadata.generation
    for new in _told(outcome, is_paused=schedule.spec.paused):
        new["observedGeneration"] = generation
        conditions = set_condition(conditions, new, format_time(now))
    if isinstance(outcome, Skip) and outcome.moves_base:
        reason = "SkipImmediately" if outcome.clears_spec else "Policy"
        taken = condition(SKIPPED, "True", reason, "the run that was due then was skipped")
        taken |= {"observedGeneration": generation, "lastTransitionTime": format_time(now)}
        others = [one for one in conditions if one.get("type") != SKIPPED]
        conditions = [*others, taken]
    elif schedule.spec.skip_immediately is not True:
        # A condition of an older generation does not count for `kubectl wait`. Where the spec still
        # asks for the skip, the generation is how we know that it was taken.
        conditions = [
            one | {"observedGeneration": generation} if one.get("type") == SKIPPED else one
            for one in conditions
        ]
    return conditions


def _told(outcome: Outcome, *, is_paused: bool) -> list[Condition]:
    """Give the conditions that hold after a decision."""
    free = condition(BLOCKED, "False", "Free", "no Backup of the schedule is running")
    awake = condition(PAUSED, "False", "Running", "the schedule is not paused")
    match outcome:
        case Wrong(errors):
            invalid = condition(READY, "False", "Invalid", "; ".join(errors))
            # That it is not paused is told when it is valid: then the first run is asked about.
            return [invalid, _paused(None)] if is_paused else [invalid]
        case Refused(due, why):
            text = f"the Backup {_at(due)} is refused: {why}"
            return [condition(READY, "False", "BackupRefused", text), awake, free]
        case Hold(wake):
            paused = _paused(wake)
            return [{**paused, "type": READY, "status": "False"}, paused, free]
        case Blocked(due, by):
            text = f"the run {_at(due)} waits for Backup {by} to end"
            return [
                condition(READY, "False", "Blocked", text),
                awake,
                condition(BLOCKED, "True", "Overlap", text),
            ]
        case _:
            ready = condition(READY, "True", "Scheduled", "Backups are made as scheduled")
            return [ready, awake, free]


def _paused(until: datetime | None) -> Condition:
    if until is None:
        return condition(PAUSED, "True", "Paused", "the schedule is paused")
    text = f"the schedule is paused until {format_time(until)}"
    return condition(PAUSED, "True", "PauseUntil", text)


def _is_told(schedule: Schedule, why: str) -> bool:
    ready = find_condition(schedule.status.conditions, READY) or {}
    return ready.get("reason") == "BackupRefused" and why in ready.get("message", "")


def _past(text: str | None, now: datetime) -> str | None:
    """Give a time as it stands, unless it can not be true yet."""
    instant = parse_time(text) if text else None
    known = plausible(instant, now)
    return text if known == instant else _text(known)


def _runs(count: int) -> str:
    return "1 run was" if count == 1 else f"{count} runs were"


def _at(due: datetime) -> str:
    return f"of {format_time(due)}"


def _text(instant: datetime | None) -> str | None:
    return format_time(instant) if instant is not None else None
