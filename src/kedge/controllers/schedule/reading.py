"""A Schedule object as facts, or what is wrong with it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from kedge.api.options import WAS_PAUSED, MissedRuns, ScheduleOptions, options_of
from kedge.api.velero.schedule import Schedule, SchedulePhase
from kedge.controllers.schedule.decide import Facts
from kedge.controllers.schedule.timetable import BadExpression, timetable
from kedge.kube.conditions import find_condition
from kedge.kube.times import parse_time

PAUSED: Final = "Paused"
SKIPPED: Final = "Skipped"


@dataclass(frozen=True, slots=True)
class Wrong:
    """The spec, or an option, can not be used; only its author can mend it."""

    errors: tuple[str, ...]


def read(schedule: Schedule) -> Facts | Wrong:
    """Give the facts of a Schedule, or all that is wrong with it."""
    annotations = schedule.metadata.annotations or {}
    options = options_of(annotations)
    errors = list(options.errors)
    table = None
    try:
        table = timetable(
            schedule.spec.schedule, options.dst, options.jitter, schedule.metadata.uid
        )
    except BadExpression as exc:
        errors.insert(0, str(exc))
    if errors or table is None:
        return Wrong(tuple(errors))
    status, spec = schedule.status, schedule.spec
    return Facts(
        table,
        created=parse_time(schedule.metadata.creation_timestamp or ""),
        last_backup=_instant(status.last_backup),
        last_skipped=_instant(status.last_skipped),
        is_paused=spec.paused,
        pause_until=options.pause_until,
        is_new=_is_new(schedule),
        was_paused=was_paused(schedule),
        skip=spec.skip_immediately,
        is_skip_taken=_is_skip_taken(schedule, options),
        always_skip=options.skip_always,
        skips_missed=options.missed_runs == MissedRuns.SKIP,
        deadline=options.starting_deadline,
    )


def warnings_of(schedule: Schedule) -> tuple[str, ...]:
    """Give what has no effect on a Schedule, though somebody may think that it does."""
    return options_of(schedule.metadata.annotations).warnings


def was_paused(schedule: Schedule) -> bool:
    """Tell whether the Schedule was paused when it was last looked at."""
    known = find_condition(schedule.status.conditions, PAUSED)
    if known is not None:
        return known.get("status") == "True"  # the mark is of a time without conditions
    return is_marked(schedule)


def is_marked(schedule: Schedule) -> bool:
    """Tell whether the Schedule has the mark that stands for a condition, where there are none."""
    annotations: Mapping[str, Any] = schedule.metadata.annotations or {}
    return WAS_PAUSED in annotations


def _is_new(schedule: Schedule) -> bool:
    """Tell whether the Schedule has never been valid, so that nobody asked about its first run."""
    status = schedule.status
    if status.phase in ("", SchedulePhase.NEW):
        return True
    never = status.last_backup is None and status.last_skipped is None
    return status.phase == SchedulePhase.FAILED_VALIDATION and never


def _is_skip_taken(schedule: Schedule, options: ScheduleOptions) -> bool:
    """Tell whether the status says that this very spec's skip was taken."""
    taken = find_condition(schedule.status.conditions, SKIPPED)
    return (
        schedule.spec.skip_immediately is True
        and not options.skip_always
        and taken is not None
        and taken.get("reason") == "SkipImmediately"
        and taken.get("observedGeneration") == schedule.metadata.generation
    )


def _instant(text: str | None) -> datetime | None:
    return parse_time(text) if text else None
