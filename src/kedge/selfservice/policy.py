"""What an administrator enforces on those who help themselves. Pure.

It is written into a ConfigMap in the server's namespace, or into the DataProtectionApplication
where a cluster has that kind. What can not be read is a problem, and then nothing is let through:
a slip of the pen must not open what was meant to be closed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final

import msgspec
import yaml

from kedge.api.velero.backup import BackupSpec
from kedge.api.velero.restore import RestoreSpec
from kedge.api.velero.storage_location import StorageLocationSpec
from kedge.kube.durations import ZERO, DurationError, parse_duration
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.selfservice.durations import duration_problem
from kedge.selfservice.spelling import (
    BACKUP_FORMS,
    DURATIONS,
    LOCATION_FORMS,
    RESTORE_FORMS,
    Forms,
    is_set,
)

POLICY_NAME: Final = "kedge-nonadmin-policy"
"""The ConfigMap in the server's namespace."""
BACKUP_SPEC: Final = "enforceBackupSpec"
RESTORE_SPEC: Final = "enforceRestoreSpec"
LOCATION_SPEC: Final = "enforceBSLSpec"
REQUIRE_APPROVAL: Final = "requireApprovalForBSL"
GC_PERIOD: Final = "garbageCollectionPeriod"
SYNC_PERIOD: Final = "backupSyncPeriod"
RESOURCE_POLICIES: Final = "allowedResourcePolicies"
RESOURCE_MODIFIERS: Final = "allowedResourceModifiers"
ALLOW_HOOKS: Final = "allowHooks"

_NO_TEXT: Final = "it is not text; write it in UTF-8"

Enforced = Mapping[str, Any]
"""Of a spec, the fields that are enforced; nothing is what Go takes for zero."""
_NOT_ENFORCEABLE: Final[Mapping[str, tuple[str, ...]]] = {
    BACKUP_SPEC: (
        "storageLocation",
        "volumeSnapshotLocations",
        "includedNamespaces",
        "excludedNamespaces",
        "includedClusterScopedResources",
    ),
    RESTORE_SPEC: (
        "backupName",
        "scheduleName",
        "includedNamespaces",
        "excludedNamespaces",
        "namespaceMapping",
    ),
    LOCATION_SPEC: (),
}
_FORMS: Final[Mapping[str, Forms]] = {
    BACKUP_SPEC: BACKUP_FORMS,
    RESTORE_SPEC: RESTORE_FORMS,
    LOCATION_SPEC: LOCATION_FORMS,
}
_TYPES: Final = {
    BACKUP_SPEC: BackupSpec,
    RESTORE_SPEC: RestoreSpec,
    LOCATION_SPEC: StorageLocationSpec,
}


@dataclass(frozen=True, slots=True)
class Policy:
    """What is enforced, and what is allowed."""

    backup: Enforced = field(default_factory=dict)
    """Of the spec of Velero Backups."""
    restore: Enforced = field(default_factory=dict)
    """Of the spec of Velero Restores."""
    location: Enforced = field(default_factory=dict)
    """Of the spec of BackupStorageLocations."""
    require_approval: bool = False
    """Whether an administrator has to agree to each location of a user's."""
    sync_period: timedelta | None = timedelta(minutes=2)
    """How often NonAdminBackups are made for Velero Backups that have none; None: never."""
    gc_period: timedelta | None = timedelta(hours=24)
    """How often it is looked for what has lost its origin; None: never."""
    resource_policies: frozenset[str] = frozenset()
    """ConfigMaps of the server's namespace that backups may name as their resourcePolicy."""
    resource_modifiers: frozenset[str] = frozenset()
    """ConfigMaps of the server's namespace that restores may name as their resourceModifier."""
    allow_hooks: bool = True
    """Whether backups and restores may run commands in the user's own pods."""
    problems: tuple[str, ...] = ()
    """What can not be read, each with the name of the key and a way to mend it."""


NOTHING: Final = Policy()
"""Nothing is enforced."""


class _Wrong(ValueError):
    """What is wrong with a value, and how to write it instead."""


def policy_of_config(config: Mapping[str, Any] | None) -> Policy:
    """Read the ConfigMap; None, and one without data, enforce nothing."""
    config = config or {}
    data, binary = config.get("data") or {}, config.get("binaryData") or {}
    values: dict[str, Any] = {}
    problems = [f"{POLICY_NAME} {cut(key)}: {_NO_TEXT}" for key in sorted(binary)]
    for key in sorted(data):
        if key not in _READERS:
            known = ", ".join(_READERS)
            problems.append(f"{POLICY_NAME} {cut(key)}: it is not known; known are {known}")
            continue
        name, read = _READERS[key]
        try:
            values[name] = read(key, _parsed(data[key]))
        except _Wrong as exc:
            problems.append(f"{POLICY_NAME} {key}: {exc}")
    return _with(values, problems)


def policy_of_application(application: Object) -> Policy:
    """Read the DataProtectionApplication; what has no meaning here is left alone."""
    given = (application.get("spec") or {}).get("nonAdmin") or {}
    values, problems = {}, []
    for key in sorted(given):
        if key not in _READERS:
            continue
        name, read = _READERS[key]
        try:
            values[name] = read(key, given[key])
        except _Wrong as exc:
            problems.append(f"DataProtectionApplication spec.nonAdmin.{key}: {exc}")
    return _with(values, problems)


def has_policy(application: Object) -> bool:
    """Tell whether a DataProtectionApplication says anything about self-service."""
    return bool((application.get("spec") or {}).get("nonAdmin"))


def _with(values: dict[str, Any], problems: list[str]) -> Policy:
    policy = replace(NOTHING, **values)
    sync, gc = policy.sync_period, policy.gc_period
    if sync is not None and gc is not None and gc <= sync:
        problems.append(f"{GC_PERIOD} must be longer than {SYNC_PERIOD}")
    for key, enforced in ((BACKUP_SPEC, policy.backup), (RESTORE_SPEC, policy.restore)):
        if not policy.allow_hooks and (enforced.get("hooks") or {}).get("resources"):
            problems.append(f"{key} has hooks, which {ALLOW_HOOKS}: false keeps from running")
    return replace(policy, problems=tuple(problems))


def _parsed(text: Any) -> Any:
    """Read the YAML of an entry."""
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError, AttributeError) as exc:
        raise _Wrong(f"it is not YAML: {cut(str(exc))}") from None


def _spec(key: str, value: Any) -> Enforced:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _Wrong("it must be a map of fields, such as ttl: 72h")
    forms = _FORMS[key]
    if unknown := [str(name) for name in value if name not in forms]:
        raise _Wrong(f"{cut(unknown[0])} is no field of the spec")
    found = {name: value[name] for name, form in forms.items() if is_set(form, value.get(name))}
    for name in _NOT_ENFORCEABLE[key]:
        if name in found:
            raise _Wrong(f"{name} is non-enforceable by admins")
    if key != LOCATION_SPEC and found.get("includeClusterResources") is True:
        raise _Wrong("includeClusterResources is non-enforceable by admins, but for false")
    _check_values(key, found)
    return found


def _check_values(key: str, found: Enforced) -> None:
    """Insist on values that a server takes: every request gets them, and would wait in vain."""
    try:
        msgspec.convert(found, _TYPES[key])
    except msgspec.ValidationError as exc:
        raise _Wrong(f"a value is of another type: {cut(str(exc))}") from None
    for name in sorted(DURATIONS & found.keys()):
        try:
            parse_duration(found[name])
        except DurationError:
            text = cut(repr(found[name]))
            raise _Wrong(f"{name} {text} is not a duration; write it as 30m or 24h") from None
    if problem := duration_problem(found):
        raise _Wrong(problem)


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(f"{cut(repr(value))} is neither true nor false")
    return value


def _period(key: str, value: Any) -> timedelta | None:
    try:
        period = parse_duration(str(value))  # a zero is a number, and all else is no duration
    except DurationError:
        raise _Wrong(f"{cut(repr(value))} is not a duration; write it as 30m or 24h") from None
    if period < ZERO:
        raise _Wrong("it is negative; write a duration such as 24h, or 0 for never")
    return period or None


def _names(key: str, value: Any) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _Wrong("it must be a list of names of ConfigMaps, such as [skip-caches]")
    return frozenset(value)


_READERS: Final[Mapping[str, tuple[str, Callable[[str, Any], Any]]]] = {
    BACKUP_SPEC: ("backup", _spec),
    RESTORE_SPEC: ("restore", _spec),
    LOCATION_SPEC: ("location", _spec),
    REQUIRE_APPROVAL: ("require_approval", _flag),
    GC_PERIOD: ("gc_period", _period),
    SYNC_PERIOD: ("sync_period", _period),
    RESOURCE_POLICIES: ("resource_policies", _names),
    RESOURCE_MODIFIERS: ("resource_modifiers", _names),
    ALLOW_HOOKS: ("allow_hooks", _flag),
}
