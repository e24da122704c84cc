"""What is to be done next for a NonAdminRestore, one write at a time. Pure.

In this order, so that whoever comes after a crash finds its way: the unique name into the status,
the finalizer, the Velero Restore, and the word that it was made.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

from kedge.controllers.nar.heads import Nar, VeleroRestore
from kedge.controllers.nar.status import (
    LOST,
    NOT_FOUND,
    TAKEN,
    Counts,
    Made,
    Note,
    as_accepted,
    as_created,
    as_leaving,
    as_lost,
    as_refused,
    as_started,
    as_unmade,
)
from kedge.kube.kind import Object
from kedge.selfservice.change import change_to
from kedge.selfservice.conditions import TRUE
from kedge.selfservice.policy import NOTHING, Policy
from kedge.selfservice.validate import OwnBackup, fruitless_problem, restore_problem
from kedge.selfservice.velero import Request, velero_restore

RESTORABLE = frozenset({"Completed", "PartiallyFailed"})
"""A Backup in one of these phases has an archive."""
FRUITLESS = frozenset({"Failed", "FailedValidation", "Deleting"})
"""Of a Backup in one of these phases there is no archive to rely on, nor will there be one.

In all others, also those of a newer server, it is not whole yet, and may get so by itself.
"""


@dataclass(frozen=True, slots=True)
class Facts:
    """All that counts for a NonAdminRestore."""

    nar: Nar
    home: str
    """The server's namespace."""
    now: str
    fresh: str
    """A unique name, should one be needed."""
    restore: VeleroRestore | None = None
    """The Velero Restore that was made for it."""
    is_unseen: bool = False
    """No cache shows it yet, so that nobody can tell where it stands."""
    is_taken: bool = False
    """Its unique name belongs to a Velero Restore that was not made for it."""
    backup: OwnBackup = field(default_factory=OwnBackup)
    backup_phase: str = ""
    """That of the Velero Backup; empty: there is none."""
    policy: Policy = NOTHING
    position: int = 0
    counts: Counts = field(default_factory=Counts)
    is_namespace_leaving: bool = False


@dataclass(frozen=True, slots=True)
class Write:
    """Change the status."""

    change: Object
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class Finalize:
    """Put the finalizer on, or take it off."""

    present: bool


@dataclass(frozen=True, slots=True)
class Create:
    """Make the Velero Restore."""

    restore: Object


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete the Velero Restore."""

    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class Rest:
    """Do nothing until something changes."""


Step: TypeAlias = Write | Finalize | Create | Remove | Rest
REST = Rest()


def decide(facts: Facts) -> Step:
    """Say what is to be done next."""
    nar = facts.nar
    if nar.is_leaving:
        return _leaving(facts)
    if facts.is_taken:
        return _say(nar, as_lost(nar, TAKEN, facts.now)) or REST
    if facts.restore is not None:
        return _made(facts, facts.restore)
    if nar.is_queued:
        # To make it again would run it again.
        return _say(nar, as_lost(nar, LOST, facts.now)) or REST
    return _wanted(facts)


def _wanted(facts: Facts) -> Step:
    """Bring a NonAdminRestore to where its Velero Restore is made."""
    nar = facts.nar
    if problem := problem_of(facts):
        refused = as_refused(nar, problem, facts.now, is_final=_is_final(facts))
        return _say(nar, as_started(nar)) or _say(nar, refused) or REST
    name = nar.nacuuid or facts.fresh
    if step := _say(nar, as_accepted(nar, name, facts.home, facts.now)):
        return step
    if not nar.has_finalizer:
        return Finalize(present=True)
    meta = nar.metadata
    request = Request(*nar.place, meta.uid, name, nar.restore_spec or {})
    policy, backup = facts.policy, facts.backup
    is_trusted = policy.require_approval and backup.is_agreed
    is_own_work = backup.is_in_own_bucket and not is_trusted
    made = velero_restore(request, facts.home, policy, backup.velero_name, is_own_work=is_own_work)
    return Create(made)


def _made(facts: Facts, restore: VeleroRestore) -> Step:
    """Tell of the Velero Restore; a spec that was changed since is looked at once more."""
    nar = facts.nar
    if not nar.has_finalizer:
        return Finalize(present=True)
    if facts.is_unseen:
        return REST
    problem = "" if _is_originals(nar) else None
    if needs_verdict(nar, is_made=True):
        problem = problem_of(facts)
    made = Made(restore, facts.position, facts.counts, problem)
    return _say(nar, as_created(nar, made, facts.home, facts.now)) or REST


def _leaving(facts: Facts) -> Step:
    """Delete the Velero Restore, and let go when it is gone."""
    nar, restore = facts.nar, facts.restore
    if step := _say(nar, as_leaving(nar, facts.now)):
        return step
    if not nar.has_finalizer:
        return REST  # others hold it back
    if restore is not None and not restore.is_leaving:
        return Remove(restore.metadata.name, restore.metadata.uid)
    # What holds up the Velero Restore must not hold up a whole namespace.
    if restore is None or facts.is_namespace_leaving:
        return Finalize(present=False)
    return REST


def needs_verdict(nar: Nar, *, is_made: bool) -> bool:
    """Tell whether it must be looked at what is wanted: until it is made, and when it changes."""
    if not is_made:
        return not nar.is_leaving
    accepted = nar.accepted()
    is_known = accepted.get("observedGeneration") == nar.metadata.generation
    return not (is_known or _is_originals(nar)) or accepted.get("reason") == NOT_FOUND


def _is_originals(nar: Nar) -> bool:
    """Tell whether the original has accepted it, which does not say of which generation.

    What it has made goes by its rules, and what was restored from may be gone since.
    """
    accepted = nar.accepted()
    return accepted.get("status") == TRUE and accepted.get("observedGeneration") is None


def problem_of(facts: Facts) -> str:
    """Say what is wrong with what is wanted; empty: nothing."""
    backup = facts.backup
    if facts.backup_phase and facts.backup_phase not in RESTORABLE | FRUITLESS:
        backup = OwnBackup(found=True)
    problem = restore_problem(facts.nar.restore_spec, facts.policy, backup)
    if not problem and facts.backup_phase in FRUITLESS:
        return fruitless_problem(facts.backup_phase)
    return problem


def _is_final(facts: Facts) -> bool:
    """Tell whether a problem stays until somebody does something: backups get ready by themselves.

    So it is for one that is fine but for its backup, if that is still on its way.
    """
    ready = OwnBackup(True, "Created", "a-backup")
    if restore_problem(facts.nar.restore_spec, facts.policy, ready):
        return True
    if not facts.backup.found or facts.backup.is_lost or facts.backup_phase in FRUITLESS:
        return True
    return facts.backup.phase not in ("", "New", "Created")


def unmade(nar: Nar, why: str, now: str) -> Write | None:
    """Tell that the server does not take the Velero Restore, unless that was told."""
    return _say(nar, as_unmade(nar, why, now))


def _say(nar: Nar, said: tuple[Object, Note | None]) -> Write | None:
    """Write a status, if it is another one."""
    status, note = said
    change = change_to(nar.known, status)
    return Write(change, note) if change else None
