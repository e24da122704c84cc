"""What happens next to a NonAdminBackupStorageLocation, and what its owner can do. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kedge.cli.nab.outlook import UNMADE, UNRULED, UNSEEN
from kedge.cli.nab.request import UNREADABLE, condition, is_leaving, phase_of, says
from kedge.cli.nabsl.columns import velero_phase
from kedge.cli.objects import name_of, part

if TYPE_CHECKING:
    from kedge.kube.kind import Object

LEAVING: Final = (
    "It is being deleted, and the NonAdminBackups that are kept in it go with it; there is nothing "
    "to do."
)
AGAIN: Final = "delete it with `kedge nabsl delete {name}`, and create a new one"
REFUSED: Final = (
    "Nothing happens until its spec is valid: mend it with `kubectl edit nabsl {name}`, or delete "
    "it with `kedge nabsl delete {name}`; `kedge nab policy` prints the rules."
)
CHANGED: Final = f"The change of its spec does not count: put it back, or {AGAIN}."
PENDING: Final = (
    "It waits for the approval of the administrator, who gives it with `kedge nabsl approve "
    "{name}`: ask for it."
)
REJECTED: Final = f"The administrator has not approved it: ask why, or {AGAIN}."
SECRET: Final = (
    "Its credentials can not be used: make or mend the Secret that it names, and it goes on by "
    "itself."
)
NO_SECRET: Final = "BSL credentials secret not found"
"""How the server begins what it says of a Secret that is not there."""
UNAVAILABLE: Final = (
    f"The bucket can not be used, and it is tried again: mend the bucket or the Secret, or {AGAIN}."
)
USABLE: Final = "It can be used: `kedge nab create NAME --storage-location {name}`."
READ_ONLY: Final = (
    "What is in it can be restored, and no backup can be made in it: it is read-only; for one that "
    "takes backups create another with `kedge nabsl create`."
)
COMING: Final = "It is accepted, and whether the bucket can be used is seen next."


def location_outlook(obj: Object) -> str:
    """Say what happens next to a NonAdminBackupStorageLocation."""
    return _sentence(obj).format(name=name_of(obj))


def _sentence(obj: Object) -> str:
    if is_leaving(obj):
        return LEAVING
    if told := says(obj, "Accepted", "False"):
        return _refused(told)
    if says(obj, "SpecUpdateApproved", "False"):
        return CHANGED
    if says(obj, "ClusterAdminApproved", "False"):
        pending = condition(obj, "ClusterAdminApproved").get("reason") == "BslSpecApprovalPending"
        return PENDING if pending else REJECTED
    if says(obj, "SecretSynced", "False"):
        return SECRET
    if says(obj, "BackupStorageLocationSynced", "False"):
        return UNMADE
    usable = READ_ONLY if _is_read_only(obj) else USABLE
    return {"Available": usable, "Unavailable": UNAVAILABLE}.get(
        velero_phase(obj), COMING if phase_of(obj) else UNSEEN
    )


def _is_read_only(obj: Object) -> bool:
    """Tell whether no backup can be made in a location."""
    return str(part(obj, "spec", "backupStorageLocationSpec", "accessMode")) == "ReadOnly"


def _refused(told: str) -> str:
    if told.startswith(UNREADABLE):
        return UNRULED
    return SECRET if told.startswith(NO_SECRET) else REFUSED
