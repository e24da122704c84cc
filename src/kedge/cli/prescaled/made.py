"""PreScaledCronJobs made from CronJobs, and from flags."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from kedge.cli.errors import Failure
from kedge.cli.objects import part
from kedge.cli.prescaled.kind import CRON_JOBS, PRESCALED

if TYPE_CHECKING:
    from kedge.kube.kind import Object

MINUTE = timedelta(minutes=1)
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""What kubectl keeps in a CronJob, and which would be wrong in another object."""


def from_cron_job(cron_job: Object, lead: timedelta) -> Object:
    """Make the PreScaledCronJob that starts the pods of a CronJob ahead of time."""
    meta = cron_job.get("metadata")
    spec = cron_job.get("spec")
    if not isinstance(meta, Mapping) or not isinstance(spec, Mapping):
        raise Failure("a CronJob needs metadata with a name, and a spec")
    kept = _kept(meta)
    head = {key: meta[key] for key in ("name", "namespace") if meta.get(key)}
    if "labels" in kept:
        head["labels"] = dict(kept["labels"])
    within: Object = {"apiVersion": CRON_JOBS.api_version, "kind": CRON_JOBS.name}
    within |= {"metadata": kept} if kept else {}
    return made(head, {**within, "spec": _without_nulls(spec)}, lead)


def made(meta: Object, cron_job: Object, lead: timedelta | None, primer: str = "") -> Object:
    """Put the parts together; the lead is in whole minutes."""
    spec: Object = {}
    if lead is not None:
        spec["warmUpTimeMins"] = minutes(lead)
    if primer:
        spec["primerSchedule"] = primer
    spec["cronJob"] = cron_job
    head = {"apiVersion": PRESCALED.api_version, "kind": PRESCALED.name}
    return {**head, "metadata": meta, "spec": spec}


def minutes(lead: timedelta) -> int:
    """Give a lead in minutes; Failure where it has seconds."""
    if lead % MINUTE:
        raise Failure("--lead has seconds; a lead is whole minutes")
    return lead // MINUTE


def led(obj: Object, lead: timedelta) -> Object:
    """Give a PreScaledCronJob another lead: nothing of it has been started."""
    spec, meta = part(obj, "spec"), part(obj, "metadata")
    if not isinstance(spec, Mapping) or not isinstance(meta, Mapping):
        raise Failure("a PreScaledCronJob needs metadata with a name, and a spec")
    kept = {key: value for key, value in spec.items() if key != "primerSchedule"}
    head = {key: value for key, value in meta.items() if key != "uid"}
    return {**obj, "metadata": head, "spec": {**kept, "warmUpTimeMins": minutes(lead)}}


def _kept(meta: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Take over labels and annotations: all else a server sets."""
    found = {}
    for field in ("labels", "annotations"):
        pairs = meta.get(field)
        if isinstance(pairs, Mapping):
            found[field] = {key: value for key, value in pairs.items() if key != LAST_APPLIED}
    return {field: pairs for field, pairs in found.items() if pairs}


def _without_nulls(value: Any) -> Any:
    """Leave out fields without a value, as `creationTimestamp: null` of a template."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value
