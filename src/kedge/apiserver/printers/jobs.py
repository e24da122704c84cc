"""Jobs and CronJobs: how far they are, how long they took, when they ran last."""

from datetime import datetime
from typing import Final

from kedge.apiserver.printers.wording import (
    NONE,
    UNSET,
    Cells,
    age_of,
    containers_of,
    name_of,
    part,
    selector_text,
)
from kedge.apiserver.resource import Object
from kedge.kube.ages import human_duration, instant, since

_ENDS: Final = ("Complete", "Failed")
_STATES: Final = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def job(obj: Object, now: datetime) -> Cells:
    """Give the cells of a Job."""
    spec, status = part(obj, "spec"), part(obj, "status")
    return [
        name_of(obj),
        _state(obj, status),
        _completions(spec, status.get("succeeded", 0)),
        _took(status, now),
        age_of(obj, now),
        *containers_of(part(spec, "template", "spec")),
        selector_text(spec.get("selector")),
    ]


def _state(obj: Object, status: Object) -> str:
    conditions: dict[str, str] = {}
    for one in status.get("conditions") or ():
        conditions.setdefault(one.get("type", ""), one.get("status", ""))
    for kind in _ENDS:
        if conditions.get(kind) == "True":
            return kind
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return next((kind for kind in _STATES if conditions.get(kind) == "True"), "Running")


def _completions(spec: Object, succeeded: int) -> str:
    wanted, parallel = spec.get("completions"), spec.get("parallelism") or 0
    if wanted is not None:
        return f"{succeeded}/{wanted}"
    return f"{succeeded}/1 of {parallel}" if parallel > 1 else f"{succeeded}/1"


def _took(status: Object, now: datetime) -> str:
    start, end = status.get("startTime"), status.get("completionTime")
    if not start:
        return ""
    return human_duration((instant(end) if end else now) - instant(start))


def cron_job(obj: Object, now: datetime) -> Cells:
    """Give the cells of a CronJob."""
    spec, status = part(obj, "spec"), part(obj, "status")
    job_spec = part(spec, "jobTemplate", "spec")
    last, zone, suspended = (
        status.get("lastScheduleTime"),
        spec.get("timeZone"),
        spec.get("suspend"),
    )
    return [
        name_of(obj),
        spec.get("schedule", ""),
        NONE if zone is None else zone,
        UNSET if suspended is None else str(suspended),
        len(status.get("active") or ()),
        since(last, now) if last else NONE,
        age_of(obj, now),
        *containers_of(part(job_spec, "template", "spec")),
        selector_text(job_spec.get("selector")),
    ]
