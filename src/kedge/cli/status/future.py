"""What runs next: backups of schedules, warm-ups and their runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from kedge.cli.objects import instant_in, part
from kedge.cli.status.kinds import PRESCALED, SCHEDULES
from kedge.cli.status.report import Coming
from kedge.cli.status.view import View, created, phase_of, subject, text

if TYPE_CHECKING:
    from kedge.kube.kind import Object


def coming(view: View) -> list[Coming]:
    """Give all that is known, the next one first."""
    return sorted(_all(view), key=lambda one: (one.at, one.subject.name))


def _all(view: View) -> Iterator[Coming]:
    for one in view.found.objects(SCHEDULES):
        at = next_run(one)
        if at is not None:
            yield Coming(subject("Schedule", one), "backup", at)
    for one in view.found.objects(PRESCALED):
        for field, what in (("nextWarmUpTime", "warm-up"), ("nextRunTime", "run")):
            at = instant_in(text(one, "status", field))
            if at is not None and at >= view.present:
                yield Coming(subject("PreScaledCronJob", one), what, at)


def is_paused(schedule: Object) -> bool:
    """Tell whether a Schedule makes no Backups, by its spec or by its option."""
    if part(schedule, "spec", "paused"):
        return True
    conditions = part(schedule, "status", "conditions")
    return any(
        part(one, "type") == "Paused" and part(one, "status") == "True"
        for one in (conditions if isinstance(conditions, list) else ())
    )


def next_run(schedule: Object) -> datetime | None:
    """Say when the next Backup is made; None: there is none, or it can not be told.

    An instant that is past is that of a run which should have taken place.
    """
    if is_paused(schedule) or phase_of(schedule) == "FailedValidation":
        return None
    told = instant_in(text(schedule, "status", "nextRun"))
    return told if told is not None else _worked_out(schedule)


def _worked_out(schedule: Object) -> datetime | None:
    """Work it out where no server of ours has told it: a stock Velero does not."""
    from kedge.cli.errors import Failure
    from kedge.cli.schedule.coming import coming_runs

    told = (instant_in(text(schedule, "status", name)) for name in ("lastBackup", "lastSkipped"))
    known = [one for one in (*told, created(schedule)) if one is not None]
    if not known:
        return None
    try:
        runs = coming_runs(schedule, max(known), 1, None).runs
    except Failure:
        return None
    return runs[0] if runs else None
