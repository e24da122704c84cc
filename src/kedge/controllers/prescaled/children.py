"""The CronJobs of a PreScaledCronJob, and the Jobs that are made in their stead. Pure."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB, PreScaledCronJob
from kedge.controllers.prescaled.amounts import amounts_for
from kedge.controllers.prescaled.deadlines import extend_deadline
from kedge.controllers.prescaled.heads import CRON_JOB, HASH, JOB, RUNS, SERVED, STARTED, instant_of
from kedge.controllers.prescaled.plan import Plan, Rolling, Static, child_name, expression_of
from kedge.controllers.prescaled.runs import MINUTE, Occurrence, Runs
from kedge.kube.kind import Object
from kedge.kube.times import format_time

PRIMED: Final = "primedcron"
"""The label of pods by which they are found again."""
CONTAINER: Final = "kedge-warm-up"
JOB_NAME: Final = "KEDGE_JOB_NAME"
JOB_LABEL: Final = "batch.kubernetes.io/job-name"
SCHEDULED: Final = "batch.kubernetes.io/cronjob-scheduled-timestamp"
"""On a Job, as the CronJob controller writes it: what it was started for."""
NOT_PASSED_ON: Final = frozenset(
    {"kubectl.kubernetes.io/last-applied-configuration", HASH, SERVED, RUNS, STARTED}
)


@dataclass(frozen=True, slots=True)
class Pointing:
    """To which occurrence a rolling CronJob points, and up to which runs all is done."""

    to: Occurrence
    served: datetime
    is_idle: bool = False
    """It is not to start anything yet: its text would come true before its time."""
    started: datetime | None = None
    """The last start that was ours."""


def static_children(obj: PreScaledCronJob, plan: Static, image: str) -> list[Object]:
    """Make a CronJob for each expression."""
    spec = _spec(obj, plan, image)
    return [
        _child(obj, number, {**spec, "schedule": expression, "timeZone": plan.zone}, {})
        for number, expression in enumerate(plan.expressions, 1)
    ]


def rolling_child(obj: PreScaledCronJob, plan: Rolling, image: str, pointing: Pointing) -> Object:
    """Make the one CronJob that has the next occurrence only."""
    spec = _spec(obj, plan, image)
    spec |= {"schedule": text_of(pointing.to.warm_up), "timeZone": plan.zone}
    # A CronJob makes up for what it thinks it missed, and its text is true every year: what is
    # later than the run is none of its business.
    wait = deadline_seconds(plan)
    given = spec.get("startingDeadlineSeconds")
    spec["startingDeadlineSeconds"] = min(given, wait) if isinstance(given, int) else wait
    if pointing.is_idle:
        spec["suspend"] = True
    marks = {SERVED: format_time(pointing.served), RUNS: runs_text(plan.runs)}
    if pointing.started is not None:
        marks[STARTED] = format_time(pointing.started)
    return _child(obj, 1, spec, marks)


def first_served(obj: PreScaledCronJob, plan: Rolling) -> datetime:
    """Say up to which runs nothing is to be done when there is no CronJob yet."""
    known = (obj.metadata.creation_timestamp, obj.status.last_warm_up_time)
    begin = max((at for text in known if (at := instant_of(text))), default=None)
    return (begin or datetime.min.replace(tzinfo=UTC)) + plan.lead


def deadline_seconds(plan: Rolling) -> int:
    """Say how late a start is still of use."""
    return int(max(plan.lead, MINUTE).total_seconds())


def text_of(instant: datetime) -> str:
    """Write one instant as an expression, which is true once a year."""
    at = instant.astimezone(UTC)
    return f"{at.minute} {at.hour} {at.day} {at.month} *"


def runs_text(runs: Runs) -> str:
    """Write the schedule of the runs, so that another one is noticed."""
    return f"{runs.schedule.zone} {expression_of(runs.schedule)}"


def job_name(child: str, start: datetime) -> str:
    """Name a Job as the CronJob controller does: by the minutes since 1970."""
    return f"{child}-{int(start.timestamp()) // 60}"


def job_of(child: Mapping[str, Any], uid: str, start: datetime) -> Object:
    """Make the Job of a start, as the CronJob controller would have."""
    meta, template = child["metadata"], child["spec"].get("jobTemplate") or {}
    given = template.get("metadata") or {}
    owner = {
        "apiVersion": CRON_JOB.api_version,
        "kind": CRON_JOB.name,
        "name": meta["name"],
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": JOB.api_version,
        "kind": JOB.name,
        "metadata": {
            "name": job_name(meta["name"], start),
            "namespace": meta["namespace"],
            "labels": given.get("labels") or {},
            "annotations": {**(given.get("annotations") or {}), SCHEDULED: format_time(start)},
            "ownerReferences": [owner],
        },
        "spec": template.get("spec") or {},
    }


def _child(obj: PreScaledCronJob, number: int, spec: Object, marks: Mapping[str, str]) -> Object:
    """Put a CronJob together, and note what it was made as."""
    own = obj.metadata
    given = obj.spec.cron_job.get("metadata") or {}
    kept = {k: v for k, v in (given.get("annotations") or {}).items() if k not in NOT_PASSED_ON}
    labels, annotations = dict(given.get("labels") or {}), {**kept, **marks}
    owner = {
        "apiVersion": PRE_SCALED_CRON_JOB.api_version,
        "kind": PRE_SCALED_CRON_JOB.name,
        "name": own.name,
        "uid": own.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    annotations[HASH] = _hash([labels, annotations, owner, spec])
    meta: Object = {"name": child_name(own.name, number), "namespace": own.namespace}
    if labels:  # no labels are not the same as none: the server would look twice
        meta["labels"] = labels
    meta |= {"annotations": annotations, "ownerReferences": [owner]}
    return {
        "apiVersion": CRON_JOB.api_version,
        "kind": CRON_JOB.name,
        "metadata": meta,
        "spec": spec,
    }


def _hash(content: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()[:32]


def _spec(obj: PreScaledCronJob, plan: Plan, image: str) -> Object:
    """Put the label and the container into the template; all else is as it was given."""
    spec = dict(obj.spec.cron_job["spec"])
    job = _part(spec, "jobTemplate")
    job_spec = _part(job, "spec")
    template = _part(job_spec, "template")
    meta, pod = _part(template, "metadata"), _part(template, "spec")
    for waiting in (job_spec, pod):
        extend_deadline(waiting, plan.lead)
    meta["labels"] = {**(meta.get("labels") or {}), PRIMED: obj.metadata.name}
    # A pod that is to run as root would not start with one that must not.
    is_root = (pod.get("securityContext") or {}).get("runAsUser") == 0
    container = _container(plan, image) | {
        "resources": amounts_for(pod),
        "securityContext": _confined(is_root=is_root),
    }
    pod["initContainers"] = [container, *(pod.get("initContainers") or ())]
    return spec


def _part(whole: Object, name: str) -> Object:
    """Give a part to write to, which is put in the place of the one that was there."""
    part = whole[name] = dict(whole.get(name) or {})
    return part


def _container(plan: Plan, image: str) -> Object:
    """Make the container that holds the pod until the run."""
    lead = [] if plan.lead is None else ["--lead", f"{plan.lead // MINUTE}m"]
    runs = plan.runs.schedule
    return {
        "name": CONTAINER,
        "image": image,
        "args": ["warmup", *lead, "--schedule", expression_of(runs), "--zone", runs.zone],
        "env": [
            {
                "name": JOB_NAME,
                "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{JOB_LABEL}']"}},
            }
        ],
    }


def _confined(*, is_root: bool) -> Object:
    """Ask for no more than a restricted namespace gives to all."""
    confined: Object = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    return confined if is_root else confined | {"runAsNonRoot": True}
