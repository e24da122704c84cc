"""Cron jobs."""

import re

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.cron_text import schedule_problem, zone_problem
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import shown_selector
from kedge.apiserver.builtin.jobs import check_job_spec, default_job_template, job_warnings
from kedge.apiserver.builtin.workload import Templated
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.fielderror import FieldError

LONGEST_NAME = 52
"""The controller adds 11 characters for the name of a job, which has 63 at most."""
POLICIES = ("Allow", "Forbid", "Replace")
ZONE_PART = re.compile(r"[A-Za-z.\-_0-9+]{1,14}")
EXPLICIT = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
OLD_ZONE = (
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


class CronJobStrategy(Templated):
    """Hooks of batch/v1 CronJob."""

    template_path = "spec.jobTemplate.spec.template"

    def template(self, obj: Object) -> Object:
        """Give the pod template."""
        job = obj.setdefault("spec", {}).setdefault("jobTemplate", {}).setdefault("spec", {})
        template: Object = job.setdefault("template", {})
        return template

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        spec: Object = obj.setdefault("spec", {})
        spec.setdefault("concurrencyPolicy", "Allow")
        spec.setdefault("suspend", False)
        spec.setdefault("successfulJobsHistoryLimit", 3)
        spec.setdefault("failedJobsHistoryLimit", 1)
        job = spec.setdefault("jobTemplate", {})
        job.setdefault("metadata", {})
        default_job_template(job.setdefault("spec", {}))

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec, and the name of a new object."""
        spec, before = obj["spec"], None if old is None else old["spec"]
        _check_schedule(errors, spec, before)
        fields.non_negatives(errors, "spec", spec, ("startingDeadlineSeconds",))
        zone = spec.get("timeZone")
        if zone is not None and (before is None or zone != before.get("timeZone")):
            _check_zone(errors, "spec.timeZone", zone)
        policy = spec.get("concurrencyPolicy", "")
        fields.enum(errors, "spec.concurrencyPolicy", policy, POLICIES)
        job = spec["jobTemplate"].get("spec") or {}
        path = "spec.jobTemplate.spec"
        check_job_spec(errors, path, job, self.options(old))
        if "selector" in job:
            shown = shown_selector(job["selector"])
            errors.invalid(f"{path}.selector", shown, "`selector` will be auto-generated")
        if job.get("manualSelector"):
            errors.unsupported(f"{path}.manualSelector", True, ("nil", "false"))
        limits = ("successfulJobsHistoryLimit", "failedJobsHistoryLimit")
        fields.non_negatives(errors, "spec", spec, limits)
        name = obj["metadata"].get("name", "")
        if old is None and names.size(name) > LONGEST_NAME:
            errors.invalid("metadata.name", name, names.max_length(LONGEST_NAME))

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed object; of the status nothing is checked."""
        if context.subresource == "status":
            return []
        return super().validate_update(new, old, context)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of the template, and of a zone in the schedule."""
        found = super().warnings(obj, old)
        if old is not None and "TZ" in obj["spec"].get("schedule", ""):
            found.append(OLD_ZONE)
        return found

    def template_warnings(self, obj: Object) -> list[str]:
        """Warn of what the job template says."""
        job = obj["spec"]["jobTemplate"].get("spec") or {}
        return job_warnings("spec.jobTemplate.spec", job)


def _check_schedule(errors: Errors, spec: Object, old: Object | None) -> None:
    schedule, path = spec.get("schedule", ""), "spec.schedule"
    if not schedule:
        errors.required(path)
        return
    if problem := schedule_problem(schedule):
        errors.invalid(path, schedule, problem)
    if "TZ" not in schedule:
        return
    if old is None or "TZ" not in old.get("schedule", ""):
        what = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        errors.invalid(path, schedule, what)
    elif "timeZone" in spec:
        what = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
        errors.invalid(path, schedule, what)


def _check_zone(errors: Errors, path: str, zone: str) -> None:
    if not zone:
        errors.invalid(path, zone, "timeZone must be nil or non-empty string")
        return
    for part in zone.split("/"):
        if part in (".", "..") or part.startswith("-") or not ZONE_PART.fullmatch(part):
            errors.invalid(path, zone, f"unknown time zone {zone}")
            return
    if zone.lower() == "local":
        errors.invalid(path, zone, EXPLICIT)
    if problem := zone_problem(zone):
        errors.invalid(path, zone, problem)
