"""Checks of what the server works with: locations, schedules, zones, leftovers, CronJobs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from kedge.cli.doctor.finding import Finding, fail, ok, warn
from kedge.cli.durations import span
from kedge.cli.objects import instant_in, name_of, part
from kedge.cli.status.gathering import FORBIDDEN, one_or_none
from kedge.cli.status.kinds import (
    AT_HOME,
    DELETIONS,
    EVERYWHERE,
    LOCATIONS,
    PRESCALED,
    SCHEDULES,
)
from kedge.cli.status.notice import undecided
from kedge.cli.status.view import created, phase_of, text

if TYPE_CHECKING:
    from kedge.cli.doctor.patient import Patient
    from kedge.kube.kind import Object

STALE: Final = timedelta(hours=1)
"""A location is looked at every minute, unless it says otherwise."""
STUCK: Final = timedelta(minutes=30)
"""What is deleted is gone sooner than that, unless something is in the way."""
ZONE: Final = "Europe/Vienna"
"""A zone with clock changes, to see that there is zone data at all."""
CONTROLLERS: Final = "kube-controller-manager"


async def locations(patient: Patient) -> AsyncIterator[Finding]:
    """See whether backups can be kept."""
    check, found = "storage", patient.view.found
    if found.is_homeless:
        return  # that there is no namespace was told
    if found.problem(LOCATIONS):
        if found.problem(LOCATIONS) == FORBIDDEN:
            yield warn(check, "you may not see the locations", "ask as an administrator")
        return
    every = found.objects(LOCATIONS)
    if not every:
        fix = "backup-location create default --provider aws --bucket BUCKET --default"
        yield fail(check, "there is no storage location", patient.view.do(fix))
    for one in every:
        yield _location(patient, one)
    for problem in undecided(patient.view):
        yield warn(check, problem.text, problem.fix)


def _location(patient: Patient, one: Object) -> Finding:
    check, name = "storage", name_of(one)
    looked = instant_in(text(one, "status", "lastValidationTime"))
    edit = f"kubectl edit backupstoragelocation {name} -n {patient.namespace}"
    if phase_of(one) == "Unavailable":
        why = text(one, "status", "message") or "its status does not say why"
        return fail(check, f"{name} can not be used: {why}", edit)
    if looked is None:
        logs = f"kubectl logs deployment/kedge -n {patient.namespace} --tail 50"
        return warn(check, f"{name}: the server has not looked at it yet", logs)
    ago = patient.present - looked
    frequency = text(one, "spec", "validationFrequency")
    if ago > STALE and not frequency:
        logs = f"kubectl logs deployment/kedge -n {patient.namespace} --tail 50"
        return warn(check, f"{name}: the server has not looked at it for {span(ago)}", logs)
    return ok(check, f"{name} can be used, as seen {span(max(ago, timedelta(0)))} ago")


async def schedules(patient: Patient) -> AsyncIterator[Finding]:
    """See whether all schedules are valid."""
    check, found = "schedules", patient.view.found
    if found.problem(SCHEDULES):
        return
    bad = [one for one in found.objects(SCHEDULES) if phase_of(one) == "FailedValidation"]
    for one in bad:
        errors = part(one, "status", "validationErrors") or ["its status does not say why"]
        fix = f"kubectl edit schedule {name_of(one)} -n {patient.namespace}"
        yield fail(check, f"{name_of(one)} is not valid: {errors[0]}", fix)
    if not bad:
        count = len(found.objects(SCHEDULES))
        yield ok(check, f"{count} schedule{'' if count == 1 else 's'}, and none is refused")


async def zones(patient: Patient) -> AsyncIterator[Finding]:
    """See whether the zone data is there that schedules go by."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    from kedge.cron.errors import CronError
    from kedge.cron.zones import load

    try:
        load(ZONE)
        yield ok("time zones", f"data of {installed('tzdata')}")
    except (CronError, PackageNotFoundError):
        text = "there is no zone data on this machine: previews can not be worked out"
        yield fail("time zones", text, "pip install --upgrade tzdata")


async def leftovers(patient: Patient) -> AsyncIterator[Finding]:
    """Look for what should be gone by now."""
    found = [*_stuck(patient), *_undeleted(patient)]
    for one in found:
        yield one
    if not found:
        yield ok("leftovers", "nothing waits to be deleted for long")


def _stuck(patient: Patient) -> Iterator[Finding]:
    for kind in AT_HOME + EVERYWHERE:
        for one in patient.view.found.objects(kind):
            since = instant_in(text(one, "metadata", "deletionTimestamp"))
            if since is None or patient.present - since < STUCK:
                continue
            held = ", ".join(map(str, part(one, "metadata", "finalizers") or ())) or "nothing"
            told = f"{kind.name} {name_of(one)} is being deleted for "
            told += f"{span(patient.present - since)}, and held by {held}"
            place = text(one, "metadata", "namespace")
            yield warn("leftovers", told, f"kubectl describe {kind} {name_of(one)} -n {place}")


def _undeleted(patient: Patient) -> Iterator[Finding]:
    for one in patient.view.found.objects(DELETIONS):
        made, errors = created(one), part(one, "status", "errors") or ()
        backup = text(one, "spec", "backupName")
        fix = patient.view.do(f"backup describe {backup}")
        if errors:
            yield warn("leftovers", f"backup {backup} could not be deleted: {errors[0]}", fix)
        elif made is not None and patient.present - made > STUCK:
            waited = span(patient.present - made)
            yield warn("leftovers", f"backup {backup} waits to be deleted for {waited}", fix)


async def cronjobs(patient: Patient) -> AsyncIterator[Finding]:
    """See whether anybody starts the CronJobs of PreScaledCronJobs."""
    from kedge.runtime.lease import LEASES

    count = len(patient.view.found.objects(PRESCALED))
    if not count:
        return
    lease = await one_or_none(patient.client, LEASES, CONTROLLERS, "kube-system")
    renewed = instant_in(text(lease, "spec", "renewTime")) if lease is not None else None
    if renewed is not None and patient.present - renewed < STUCK:
        yield ok("CronJobs", f"{CONTROLLERS} runs, and starts those of PreScaledCronJobs: {count}")
        return
    yield warn(
        "CronJobs",
        f"nobody is seen who starts those of PreScaledCronJobs ({count}): `kedge up` runs no pods,"
        " and some providers do not show who does",
        "kubectl get cronjobs -A",
    )
