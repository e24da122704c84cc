"""What people may ask for: the first rule that a spec breaks, in the original's words. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from kedge.selfservice.durations import duration_problem
from kedge.selfservice.policy import Policy
from kedge.selfservice.spelling import BACKUP_FORMS, RESTORE_FORMS, Forms, is_same, is_set, text_of

Spec = Mapping[str, Any]
BACKUP_NOT_DEFINED: Final = "BackupSpec is not defined"
RESTORE_NOT_DEFINED: Final = "RestoreSpec is not defined"
_BACKUP: Final = "NonAdminBackup spec.backupSpec"
_RESTORE: Final = "NonAdminRestore nonAdminRestore.spec.restoreSpec"
_RESTORE_NAME: Final = "NonAdminRestore spec.restoreSpec.backupName"
CREATED: Final = "Created"
LARGEST: Final = 512 * 1024
"""Bytes of a spec: the status has another copy, and a store takes a mebibyte and a half in all."""


@dataclass(frozen=True, slots=True)
class OwnLocation:
    """What a storageLocation leads to: a NonAdminBackupStorageLocation of the same namespace."""

    found: bool = False
    phase: str = ""
    nacuuid: str = ""
    is_there: bool = False
    """Whether there is a BackupStorageLocation that was made for it."""
    is_available: bool = False
    name: str = ""
    """That of the BackupStorageLocation."""


@dataclass(frozen=True, slots=True)
class OwnBackup:
    """What a backupName leads to: a NonAdminBackup of the same namespace."""

    found: bool = False
    phase: str = ""
    velero_name: str = ""
    """The Velero Backup that is proven to have been made for it; empty: there is none."""
    is_in_own_bucket: bool = False
    """Whether it is kept in a bucket of the people's own, who can write what they like there."""
    is_agreed: bool = False
    """Whether an administrator has agreed to that bucket."""
    uid: str = ""
    """That of the Velero Backup: another one may have its name one day."""
    is_lost: bool = False
    """Whether it had ended, and its Velero Backup, or where that is kept, is gone since."""


def backup_problem(
    spec: Spec | None, namespace: str, policy: Policy, location: OwnLocation | None = None
) -> str:
    """Say what is wrong with the backupSpec of a NonAdminBackup; empty: nothing.

    `location` is what its storageLocation leads to.
    """
    if spec is None:
        return BACKUP_NOT_DEFINED
    return (
        _policy_problem(policy)
        or _size_problem(spec, _BACKUP)
        or _backup_scope(spec, namespace)
        or _location_problem(spec, location or OwnLocation())
        or (
            f"{_BACKUP}.volumeSnapshotLocations is restricted"
            if spec.get("volumeSnapshotLocations") is not None
            else ""
        )
        or _backup_reach(spec, policy)
        or _duration_problem(spec, _BACKUP)
        or enforcement_problem(spec, policy.backup, BACKUP_FORMS, "spec.backupSpec")
    )


def restore_problem(spec: Spec | None, policy: Policy, backup: OwnBackup | None = None) -> str:
    """Say what is wrong with the restoreSpec of a NonAdminRestore; empty: nothing.

    `backup` is what its backupName leads to.
    """
    if spec is None:
        return RESTORE_NOT_DEFINED
    return (
        _policy_problem(policy)
        or _size_problem(spec, _RESTORE)
        or (f"{_RESTORE}.scheduleName is restricted" if spec.get("scheduleName") else "")
        or _restored_problem(spec, backup or OwnBackup())
        or _restore_scope(spec)
        or _restore_reach(spec, policy)
        or _duration_problem(spec, _RESTORE)
        or enforcement_problem(spec, policy.restore, RESTORE_FORMS, "spec.restoreSpec")
    )


def fruitless_problem(phase: str) -> str:
    """Say that a Velero Backup which ended in a phase is none to restore from."""
    ended = f"its backup is {phase}, with nothing to restore; name one that is Completed"
    return f"{_RESTORE_NAME} is invalid: {ended}"


def enforcement_problem(spec: Spec, enforced: Spec, forms: Forms, path: str) -> str:
    """Say which enforced field has another value; empty: none has."""
    for name, form in forms.items():
        if name not in enforced or not is_set(form, spec.get(name)):
            continue
        if not is_same(name, spec[name], enforced[name]):
            value = text_of(name, enforced[name])
            return f"the administrator has restricted {path}.{name} field value to {value}"
    return ""


def _policy_problem(policy: Policy) -> str:
    if not policy.problems:
        return ""
    why = f"the administrator's policy can not be read: {policy.problems[0]}"
    return f"{why}; ask the administrator to mend it"


def _size_problem(spec: Spec, path: str) -> str:
    size = len(msgspec.json.encode(spec))
    if size <= LARGEST:
        return ""
    return f"{path} has {size} bytes, and is kept twice: shorten it to {LARGEST}"


def _backup_scope(spec: Spec, namespace: str) -> str:
    included = spec.get("includedNamespaces")
    if included is not None and any(each != namespace for each in included):
        text = f"is restricted, can not contain namespaces other than: {namespace}"
        return f"{_BACKUP}.includedNamespaces {text}"
    if spec.get("excludedNamespaces") is not None:
        return f"{_BACKUP}.excludedNamespaces is restricted"
    if spec.get("includeClusterResources"):
        return f"{_BACKUP}.includeClusterResources is restricted, can only be set to false"
    if spec.get("includedClusterScopedResources"):
        # The original names the field so.
        return f"{_BACKUP}.includedScopedResources is restricted, must remain empty"
    return ""


def _location_problem(spec: Spec, location: OwnLocation) -> str:
    name = spec.get("storageLocation")
    if not name:
        return ""
    if not location.found:
        return (
            "NonAdminBackupStorageLocation not found in the namespace: "
            f'nonadminbackupstoragelocations.oadp.openshift.io "{name}" not found'
        )
    if location.phase != CREATED:
        return (
            "NonAdminBackupStorageLocation is not in created state and can not be used for the "
            "NonAdminBackup"
        )
    if not location.nacuuid:
        return (
            "unable to get VeleroBackupStorageLocation UUID from NonAdminBackupStorageLocation "
            "Status"
        )
    subject = f"VeleroBackupStorageLocation with NACUUID {location.nacuuid}"
    if not location.is_there:
        return f"{subject} not found in the OADP namespace"
    if not location.is_available:
        return f"{subject} is not in available state and can not be used for the NonAdminBackup"
    return ""


def _backup_reach(spec: Spec, policy: Policy) -> str:
    """Look at what reaches out of the namespace by name, or into running pods."""
    if not _is_allowed(spec, "resourcePolicy", policy.resource_policies, policy.backup):
        return _not_listed(f"{_BACKUP}.resourcePolicy", "allowedResourcePolicies")
    if not policy.allow_hooks and is_set(BACKUP_FORMS["hooks"], spec.get("hooks")):
        return f"{_BACKUP}.hooks is restricted"
    return ""


def _duration_problem(spec: Spec, path: str) -> str:
    problem = duration_problem(spec)
    return f"{path}.{problem}" if problem else ""


def _restored_problem(spec: Spec, backup: OwnBackup) -> str:
    name = spec.get("backupName")
    if not name:
        return f"{_RESTORE_NAME} is not set"
    if not backup.found:
        return f'{_RESTORE_NAME} is invalid: nonadminbackups.oadp.openshift.io "{name}" not found'
    if backup.is_lost:
        gone = "its backup, or the storage location that it is kept in, is not there any more"
        return f"{_RESTORE_NAME} is invalid: {gone}"
    if backup.phase != CREATED or not backup.velero_name:
        return f"{_RESTORE_NAME} is invalid: NonAdminBackup is not ready to be restored"
    return ""


def _restore_scope(spec: Spec) -> str:
    for name in ("includedNamespaces", "excludedNamespaces", "namespaceMapping"):
        if spec.get(name) is not None:
            return f"{_RESTORE}.{name} is restricted"
    if spec.get("includeClusterResources"):
        return f"{_RESTORE}.includeClusterResources is restricted, can only be set to false"
    return ""


def _restore_reach(spec: Spec, policy: Policy) -> str:
    if not _is_allowed(spec, "resourceModifier", policy.resource_modifiers, policy.restore):
        return _not_listed(f"{_RESTORE}.resourceModifier", "allowedResourceModifiers")
    if not policy.allow_hooks and is_set(RESTORE_FORMS["hooks"], spec.get("hooks")):
        return f"{_RESTORE}.hooks is restricted"
    return ""


def _is_allowed(spec: Spec, name: str, allowed: frozenset[str], enforced: Spec) -> bool:
    """Tell whether a ConfigMap of the server's namespace may be named."""
    wanted = spec.get(name)
    return wanted is None or name in enforced or wanted.get("name") in allowed


def _not_listed(field: str, key: str) -> str:
    return f"{field} is restricted, can only name what the administrator lists in {key}"
