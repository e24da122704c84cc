"""What is worth a notice, and no fault. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kedge.cli.objects import name_of, part
from kedge.cli.status.future import is_paused
from kedge.cli.status.gathering import FORBIDDEN, MISSING
from kedge.cli.status.kinds import AT_HOME, EVERYWHERE, LOCATIONS, PRESCALED, SCHEDULES
from kedge.cli.status.report import Problem, Subject
from kedge.cli.status.view import View, subject

DEFAULT: Final = "default"


def notices(view: View) -> list[Problem]:
    """Give what somebody may have forgotten."""
    return [*undecided(view), *_paused(view), *_suspended(view), *_none(view)]


def undecided(view: View) -> Iterator[Problem]:
    """Tell of locations of which none is the default, by its mark or by its name."""
    every = view.found.objects(LOCATIONS)
    if not every or any(part(one, "spec", "default") or name_of(one) == DEFAULT for one in every):
        return
    fix = view.do(f"backup-location set {name_of(every[0])} --default")
    text = "no location is the default: each backup must name one"
    yield Problem(subject("BackupStorageLocation", every[0]), text, fix)


def _paused(view: View) -> Iterator[Problem]:
    for one in view.found.objects(SCHEDULES):
        if is_paused(one):
            fix = view.do(f"schedule unpause {name_of(one)}")
            yield Problem(subject("Schedule", one), "paused: it makes no backups", fix)


def _suspended(view: View) -> Iterator[Problem]:
    for one in view.found.objects(PRESCALED):
        if part(one, "spec", "cronJob", "spec", "suspend"):
            fix = view.do_in(f"prescaled describe {name_of(one)}", one)
            text = "suspended: nothing is started"
            yield Problem(subject("PreScaledCronJob", one), text, fix)


def _none(view: View) -> Iterator[Problem]:
    if view.found.problem(SCHEDULES) or view.found.objects(SCHEDULES):
        return
    who = Subject("Schedule", "nightly", view.found.namespace)
    if view.found.elsewhere:
        fix = f"{view.program} status -n {view.found.elsewhere}"
        text = f'there is none in namespace "{view.found.namespace}"'
        yield Problem(who, text, fix)
        return
    fix = view.do("schedule create nightly --schedule '0 1 * * *'")
    yield Problem(who, "there is no schedule: nothing is saved by itself", fix)


def unseen(view: View) -> list[str]:
    """Say once for each reason what could not be looked at."""
    found, told = view.found, []
    hidden = [kind.plural for kind in AT_HOME if found.problem(kind) == FORBIDDEN]
    own = [found.lists[kind.plural] for kind in EVERYWHERE]
    barred = [one.plural for one in own if one.problem == FORBIDDEN]
    forbidden = [
        f"{_listed(names)} in namespace {place}"
        for names, place in ((hidden, found.namespace), (barred, found.own))
        if names
    ]
    if any(one.namespace for one in own) and len(barred) < len(own):
        forbidden.append(f"other namespaces than {found.own}")
    if forbidden:
        told.append(f"you may not see {', nor '.join(forbidden)}")
    absent = [kind.plural for kind in AT_HOME + EVERYWHERE if found.problem(kind) == MISSING]
    if absent:
        fix = f"{view.program} install --crds-only"
        told.append(f"the cluster does not have {_listed(absent)}: `{fix}` adds them")
    cut = [one.plural for one in found.lists.values() if one.is_cut]
    if cut:
        told.append(f"there are more {_listed(cut)} than were looked at")
    return told


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
