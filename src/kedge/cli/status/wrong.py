"""What is wrong with schedules, backups, restores and locations, and what to do about it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from kedge.cli.durations import span
from kedge.cli.instants import stamp
from kedge.cli.nab.request import condition
from kedge.cli.objects import instant_in, name_of, part
from kedge.cli.status.future import is_paused, next_run
from kedge.cli.status.kinds import DELETIONS, EVENTS, LOCATIONS, PRESCALED, SCHEDULES
from kedge.cli.status.past import DAWN
from kedge.cli.status.report import Problem, Server, Subject
from kedge.cli.status.server import AWAY, absence
from kedge.cli.status.view import View, ended, phase_of, schedule_of, subject, text
from kedge.cli.waiting import FINE, why

if TYPE_CHECKING:
    from kedge.kube.kind import Object

FAILED: Final = frozenset({"Failed", "PartiallyFailed", "FailedValidation"})
RECENT: Final = timedelta(days=1)
"""What was started by hand has no successor that could make up for it: it is told of for a day."""
LATE: Final = timedelta(minutes=5)
"""A run may be late by so much before it is told of."""
SCHEDULED: Final = "Schedule"


def wrong(view: View, server: Server) -> list[Problem]:
    """Give all that is wrong, what everything else depends on first."""
    found: list[Problem] = []
    if server.state == AWAY:
        found.append(absence(view, server))
    found += _locations(view)
    found += _schedules(view, is_served=server.state != AWAY)
    found += _by_hand(view)
    found += _restores(view)
    found += _deletions(view)
    found += _prescaled(view)
    return found


def _locations(view: View) -> Iterator[Problem]:
    locations = view.found.objects(LOCATIONS)
    for one in locations:
        if phase_of(one) == "Unavailable":
            why_not = text(one, "status", "message") or "its status does not say why"
            fix = f"kubectl edit backupstoragelocation {name_of(one)} -n {view.found.namespace}"
            yield Problem(subject("BackupStorageLocation", one), f"unavailable: {why_not}", fix)
    if not locations and not view.found.problem(LOCATIONS) and not view.found.is_homeless:
        who = Subject("BackupStorageLocation", "default", view.found.namespace)
        fix = view.do("backup-location create default --provider aws --bucket BUCKET --default")
        yield Problem(who, "there is no storage location: backups have nowhere to go", fix)


def _schedules(view: View, *, is_served: bool) -> Iterator[Problem]:
    runs = _runs(view)
    missed = _missed(view)
    for one in view.found.objects(SCHEDULES):
        yield from _refused(view, one)
        own = runs.get(name_of(one), [])
        yield from _failed(view, one, own)
        if is_served and not is_paused(one):
            yield from _late(view, one)
        if name_of(one) in missed:
            at, message = missed[name_of(one)]
            if not any(phase_of(run) == FINE and (ended(run) or DAWN) > at for run in own):
                fix = view.do(f"backup create --from-schedule {name_of(one)}")
                yield Problem(subject(SCHEDULED, one), message, fix)


def _refused(view: View, schedule: Object) -> Iterator[Problem]:
    if phase_of(schedule) == "FailedValidation":
        errors = part(schedule, "status", "validationErrors") or ["its status does not say why"]
        fix = f"kubectl edit schedule {name_of(schedule)} -n {view.found.namespace}"
        told = "; ".join(map(str, errors))
        yield Problem(subject(SCHEDULED, schedule), f"it is not valid: {told}", fix)
    ready = condition(schedule, "Ready")
    if ready.get("status") == "False" and ready.get("reason") == "BackupRefused":
        fix = view.do(f"schedule describe {name_of(schedule)}")
        yield Problem(subject(SCHEDULED, schedule), str(ready.get("message") or ""), fix)


def _failed(view: View, schedule: Object, runs: list[Object]) -> Iterator[Problem]:
    """Tell of the failures since the last good one, as one."""
    failed: list[Object] = []
    for run in runs:
        if phase_of(run) == FINE:
            break
        if phase_of(run) in FAILED:
            failed.append(run)
    if not failed:
        return
    last = failed[0]
    number = "a backup has" if len(failed) == 1 else f"{len(failed)} backups have"
    told = f"{number} failed since the last good one; {name_of(last)} is {_reason(last)}"
    yield Problem(subject(SCHEDULED, schedule), told, view.do(f"backup logs {name_of(last)}"))


def _late(view: View, schedule: Object) -> Iterator[Problem]:
    due = next_run(schedule)
    if (
        due is None
        or view.present - due < LATE
        or condition(schedule, "Blocked").get("status") == "True"
    ):
        return
    told = f"the run of {stamp(due)} is late by {span(view.present - due)}"
    fix = f"kubectl logs deployment/kedge -n {view.found.namespace} --tail 50"
    yield Problem(subject(SCHEDULED, schedule), told, fix)


def _runs(view: View) -> dict[str, list[Object]]:
    """Give the Backups of each Schedule, the newest first."""
    found: dict[str, list[Object]] = {}
    for one in view.plain():
        found.setdefault(schedule_of(one), []).append(one)
    for runs in found.values():
        runs.sort(key=lambda one: (text(one, "metadata", "creationTimestamp"), name_of(one)))
        runs.reverse()
    return found


def _missed(view: View) -> dict[str, tuple[datetime, str]]:
    """Give the last that was told of runs that a Schedule has missed."""
    found: dict[str, tuple[datetime, str]] = {}
    for one in view.found.objects(EVENTS):
        name = text(one, "involvedObject", "name")
        times = ("lastTimestamp", "eventTime", "firstTimestamp")
        told = (instant_in(text(one, field)) for field in times)
        at = next((instant for instant in told if instant is not None), DAWN)
        if text(one, "involvedObject", "kind") == SCHEDULED and at >= found.get(name, (DAWN,))[0]:
            found[name] = at, text(one, "message")
    return found


def _by_hand(view: View) -> Iterator[Problem]:
    schedules = {name_of(one) for one in view.found.objects(SCHEDULES)}
    for one in view.plain():
        if schedule_of(one) not in schedules and _is_recent_failure(view, one):
            fix = view.do(f"backup describe {name_of(one)}")
            yield Problem(subject("Backup", one), _reason(one), fix)


def _restores(view: View) -> Iterator[Problem]:
    for one in view.plain_restores():
        if _is_recent_failure(view, one):
            fix = view.do(f"restore describe {name_of(one)}")
            yield Problem(subject("Restore", one), _reason(one), fix)


def _is_recent_failure(view: View, obj: Object) -> bool:
    at = ended(obj)
    return phase_of(obj) in FAILED and at is not None and view.present - at < RECENT


def _deletions(view: View) -> Iterator[Problem]:
    for one in view.found.objects(DELETIONS):
        errors = part(one, "status", "errors")
        if errors:
            name = text(one, "spec", "backupName")
            told = f"it could not be deleted: {'; '.join(map(str, errors))}"
            who = Subject("Backup", name, view.found.namespace)
            yield Problem(who, told, view.do(f"backup delete {name}"))


def _prescaled(view: View) -> Iterator[Problem]:
    for one in view.found.objects(PRESCALED):
        ready = condition(one, "Ready")
        if ready.get("status") == "False":
            told = str(ready.get("message") or ready.get("reason") or "it does not work")
            fix = view.do_in(f"prescaled describe {name_of(one)}", one)
            yield Problem(subject("PreScaledCronJob", one), told, fix)


def _reason(obj: Object) -> str:
    return f"{phase_of(obj)}: {'; '.join(why(obj))}"
