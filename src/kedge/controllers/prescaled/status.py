"""What a PreScaledCronJob tells of itself: its status, and what is told once. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from kedge.api.prescaled.kind import PreScaledCronJob
from kedge.controllers.prescaled.heads import instant_of
from kedge.controllers.prescaled.plan import Plan, Refused, Static, is_suspended
from kedge.kube.conditions import Condition, condition, find_condition, set_condition
from kedge.kube.times import format_time

READY: Final = "Ready"
NORMAL: Final = "Normal"
WARNING: Final = "Warning"
TAKEN: Final = "CronJobAlreadyExists"
TAKEN_EVENT: Final = "Cronjob already exists"


@dataclass(frozen=True, slots=True)
class Coming:
    """What is next; nothing while an object is suspended."""

    warm_up: datetime | None = None
    run: datetime | None = None


def coming_of(obj: PreScaledCronJob, plan: Plan, now: datetime) -> Coming:
    """Find what is next."""
    if is_suspended(obj):
        return Coming()
    following = plan.next(now)
    return Coming(following.warm_up if following else None, _next_run(obj, plan, now))


def _next_run(obj: PreScaledCronJob, plan: Plan, now: datetime) -> datetime | None:
    """Find the first run ahead that takes place: one that nobody started for does not."""
    created = instant_of(obj.metadata.creation_timestamp)
    if plan.lead is not None:
        return plan.runs.next(max(now, created + plan.lead) if created else now)
    last = plan.last_start(now) if isinstance(plan, Static) else None
    run = plan.run_of(last) if last and created and last > created else None
    if run is not None and run > now:
        return run
    following = plan.next(now)
    return following.run if following else None


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a plan."""

    plan: Plan
    coming: Coming
    children: Sequence[Mapping[str, Any]]
    """The CronJobs that there are to be."""
    taken: tuple[str, ...] = ()
    """Those of them whose names others have."""
    starts: tuple[datetime, ...] = ()
    """What the CronJob controller started last, and what we did."""


@dataclass(frozen=True, slots=True)
class Note:
    """What an Event tells."""

    type: str
    reason: str
    message: str


def refused_status(obj: PreScaledCronJob, refused: Refused, now: datetime) -> dict[str, Any]:
    """Give the status of an object that can not be carried out; what is past stays."""
    told = condition(READY, "False", refused.code, str(refused))
    return {
        "conditions": _conditions(obj, told, now),
        "mode": None,
        "primerSchedules": None,
        "nextWarmUpTime": None,
        "nextRunTime": None,
    }


def status_for(obj: PreScaledCronJob, done: Done, now: datetime) -> dict[str, Any]:
    """Give the whole status of an object that is carried out."""
    last = _last_start(obj, done.starts)
    # Where all CronJobs are others' nothing is started.
    coming = done.coming if len(done.taken) < len(done.children) else Coming()
    return {
        "conditions": _conditions(obj, _told(obj, done), now),
        "mode": done.plan.mode.value,
        "primerSchedules": [child["spec"]["schedule"] for child in done.children],
        "nextWarmUpTime": _text(coming.warm_up),
        "nextRunTime": _text(coming.run),
        "lastWarmUpTime": _text(last),
        "lastRunTime": _text(_last_run(obj, done.plan, last, now)),
    }


def wake_of(obj: PreScaledCronJob, plan: Plan, coming: Coming, now: datetime) -> datetime | None:
    """Say when the status will not be true any more."""
    if is_suspended(obj):
        # A run that is being warmed up for takes place nevertheless.
        last = instant_of(obj.status.last_warm_up_time)
        run = plan.run_of(last) if last else None
        return run if run is not None and run > now else None
    return min((at for at in (coming.warm_up, coming.run) if at), default=None)


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a merge patch must say to make the old status the new one."""
    return {name: value for name, value in new.items() if old.get(name) != value}


def is_news(obj: PreScaledCronJob, status: Mapping[str, Any]) -> bool:
    """Tell whether the condition says what it did not say before."""
    old = find_condition(obj.status.conditions, READY) or {}
    new = find_condition(status["conditions"], READY) or {}
    return any(old.get(name) != new.get(name) for name in ("reason", "message"))


def taken_note(names: Sequence[str]) -> Note:
    """Tell of CronJobs that are in the way."""
    return Note(WARNING, TAKEN_EVENT, _taken_text(names))


def _taken_text(names: Sequence[str]) -> str:
    return (
        f"CronJob {', '.join(names)} already exists and does not belong to this "
        "PreScaledCronJob; it is left alone: delete it, or use another name"
    )


def _told(obj: PreScaledCronJob, done: Done) -> Condition:
    if done.taken:
        return condition(READY, "False", TAKEN, _taken_text(done.taken))
    if is_suspended(obj):
        return condition(READY, "True", "Suspended", "suspended: nothing is started for now")
    return condition(READY, "True", "Scheduled", "each run is warmed up for")


def _conditions(obj: PreScaledCronJob, told: Condition, now: datetime) -> list[Condition]:
    told["observedGeneration"] = obj.metadata.generation
    return set_condition(obj.status.conditions, told, format_time(now))


def _last_start(obj: PreScaledCronJob, starts: Iterable[datetime]) -> datetime | None:
    known = instant_of(obj.status.last_warm_up_time)
    return max([*starts, *([known] if known else [])], default=None)


def _last_run(
    obj: PreScaledCronJob, plan: Plan, last: datetime | None, now: datetime
) -> datetime | None:
    """Find the last run that is past and was warmed up for."""
    before = instant_of(obj.status.last_warm_up_time)
    found = [instant_of(obj.status.last_run_time)]
    for start in {before, last} - {None}:
        run = plan.run_of(start) if start is not None else None
        found.append(run if run is not None and plan.runs.matches(run) else None)
    created = instant_of(obj.metadata.creation_timestamp)
    if last and created and plan.lead and (run := plan.runs.last(now)):
        # Where a lead is longer than the time between runs, others were started since.
        start = run - plan.lead
        following = plan.next(start)
        if start > created and following and following.warm_up <= min(last, run):
            found.append(run)
    return max((run for run in found if run is not None and run <= now), default=None)


def _text(instant: datetime | None) -> str | None:
    return format_time(instant) if instant is not None else None
