"""What happens next to a request, and what its owner can do: one sentence. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kedge.cli.nab.request import (
    CREATED,
    UNREADABLE,
    Asking,
    is_early,
    is_leaving,
    is_refused,
    phase_of,
    position,
    says,
)
from kedge.cli.objects import name_of, part

if TYPE_CHECKING:
    from kedge.kube.kind import Object

UNSEEN: Final = (
    "The server has not seen it yet; if that stays so, ask the administrator whether it runs."
)
LOOKED_AT: Final = (
    "The server is looking at it, and says next whether it is accepted; there is nothing to do."
)
ACCEPTED: Final = "It is accepted and takes its place in the queue next; there is nothing to do."
EARLY: Final = "It waits for its backup to be ready, and goes on by itself; there is nothing to do."
UNMADE: Final = "The cluster did not take it, and it is tried again; ask the administrator."
UNRULED: Final = (
    "It goes on by itself when the administrator's policy is mended: ask the administrator."
)
NO_PLACE: Final = "It waits in the queue, and its place is told soon; there is nothing to do."
PARTIAL: Final = "PartiallyFailed"
"""How phases end of what goes on though something went wrong."""
GOING_ON: Final = {
    "WaitingForPluginOperations": "Work on its volumes still goes on, and ends by itself",
    "Finalizing": "The last things of it are done, and it ends by itself",
}
"""By the phase of its object of Velero, if that is neither waiting, running nor over."""


@dataclass(frozen=True, slots=True)
class Words:
    """What is said of one kind of request; `{name}` stands for its name, `{other}` for another's.

    That is the one that a request can not do without: a location, or a backup.
    """

    refused: str
    """Its spec is not valid."""
    lost: str
    """Its object of Velero is gone."""
    held: str
    """The other one can not be used, and something has to be done about that one."""
    holding: str
    """What the server says of it then, in part."""
    other: tuple[str, ...]
    """Where the other one is named."""
    ended: Mapping[str, str]
    """By the phase of its object of Velero."""


NAB_WORDS: Final = Words(
    "Nothing happens until its spec is valid: mend it with `kubectl edit nab {name}`, or delete it "
    "with `kedge nab delete {name}`; `kedge nab policy` prints the rules.",
    "The backup is gone and is not made again: delete this with `kedge nab delete {name}`, and "
    "create a new one.",
    "It goes on by itself when the storage location {other} can be used: `kedge nabsl describe "
    "{other}` tells what that needs, and `kubectl edit nab {name}` names another one.",
    "BackupStorageLocation",
    ("spec", "backupSpec", "storageLocation"),
    {
        "Completed": "It is complete: restore it with `kedge nar create --from-backup {name}`.",
        "PartiallyFailed": "It has ended with errors: what was saved can be restored with `kedge "
        "nar create --from-backup {name}`, but better create a new one.",
        "Failed": "It has failed and is not tried again: create a new one, and delete this with "
        "`kedge nab delete {name}`.",
        "FailedValidation": "It was refused and is not tried again: create a new one, and delete "
        "this with `kedge nab delete {name}`.",
        "Deleting": "The server is deleting its backup; ask the administrator if that was not you.",
    },
)
KEPT: Final = (
    "It stays until you say what becomes of the backup: `kedge nab delete {name}` deletes it with "
    "its data, and `kedge nab delete {name} --force` gives it up and leaves the data behind."
)
EMPTY: Final = "There is no backup of it, and it goes by itself; there is nothing to do."
DELETED: Final = (
    "The backup is deleted with its data, and this goes after it; there is nothing to do."
)
RETRIED: Final = (
    "The deletion has failed and is tried again by itself; `kedge nab delete {name} --force` gives "
    "the backup up and leaves its data behind."
)
FORCED: Final = "It goes at once, and its data stays behind; there is nothing to do."


def nab_outlook(asking: Asking, obj: Object) -> str:
    """Say what happens next to a NonAdminBackup."""
    if is_leaving(obj) or part(obj, "spec", "deleteBackup") or _is_forced(obj):
        return _leaving(asking, obj).format(name=name_of(obj))
    return outlook(asking, obj, NAB_WORDS)


def outlook(asking: Asking, obj: Object, words: Words) -> str:
    """Say what happens next to a request that is not being deleted."""
    other = part(obj, *words.other)
    return _sentence(asking, obj, words).format(name=name_of(obj), other=other)


def _sentence(asking: Asking, obj: Object, words: Words) -> str:
    phase, velero = phase_of(obj), asking.velero_phase(obj)
    if asking.is_gone(obj):
        return words.lost
    if is_early(obj):
        return EARLY
    if is_refused(obj):
        return _refused(obj, words)
    if velero in asking.over:
        return words.ended.get(velero, f"It has ended as {velero}; there is nothing to do.")
    if not phase:
        return UNSEEN
    if says(obj, "Queued", "False"):
        return UNMADE
    if not asking.is_waiting(obj):
        return _running(asking, obj, velero)
    if phase == CREATED:
        return _queued(asking, obj)
    return ACCEPTED if says(obj, "Accepted", "True") else LOOKED_AT


def _refused(obj: Object, words: Words) -> str:
    told = says(obj, "Accepted", "False")
    if told.startswith(UNREADABLE):
        return UNRULED
    return words.held if words.holding in told else words.refused


def _queued(asking: Asking, obj: Object) -> str:
    before = position(obj) - 1
    if before < 0:
        return NO_PLACE
    if before > 0:
        others = "one other" if before == 1 else f"{before} others"
        return f"It waits in the queue with {others} before it; there is nothing to do."
    return f"The {asking.noun} starts next; there is nothing to do."


def _running(asking: Asking, obj: Object, velero: str) -> str:
    if velero != "InProgress":
        told = GOING_ON.get(velero.removesuffix(PARTIAL), f"It is {velero}, and goes on by itself")
        wrong = "; something went wrong already, and " if velero.endswith(PARTIAL) else "; "
        return f"{told}{wrong}there is nothing to do."
    progress = asking.progress(obj)
    far = f", with {progress[0]} of {progress[1]} objects done" if progress else ""
    return f"The {asking.noun} is running{far}, and ends by itself; there is nothing to do."


def _leaving(asking: Asking, obj: Object) -> str:
    if not phase_of(obj):
        return UNSEEN
    if asking.is_gone(obj) or not asking.is_made(obj):
        return EMPTY
    if _is_forced(obj):
        return FORCED
    if not part(obj, "spec", "deleteBackup"):
        return KEPT
    return RETRIED if deletion_errors(obj) else DELETED


def _is_forced(obj: Object) -> bool:
    return bool(part(obj, "spec", "forceDeleteBackup"))


def deletion_errors(obj: Object) -> list[str]:
    """List what the last attempt to delete a backup failed of."""
    return list(
        map(str, part(obj, "status", "veleroDeleteBackupRequest", "status", "errors") or ())
    )
