"""The rules of self-service: those that always hold, and those of the administrator. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kedge.selfservice.policy import Policy
from kedge.selfservice.spelling import text_of
from kedge.selfservice.velero import (
    BUCKET_EXCLUDED,
    CLUSTER_EXCLUDED,
    NAMESPACED_EXCLUDED,
    RESTORE_EXCLUDED,
)

NEVER: Final = "can not be set"
NO_CLUSTER: Final = "can only be false: nothing outside of the namespace is touched"
BACKUP: Final = {
    "includedNamespaces": "can only be {namespace}, which is also what is saved without it",
    "excludedNamespaces": NEVER,
    "includeClusterResources": NO_CLUSTER,
    "includedClusterScopedResources": "must be empty",
    "storageLocation": "can only be a NonAdminBackupStorageLocation of the namespace",
    "volumeSnapshotLocations": NEVER,
}
RESTORE: Final = {
    "backupName": "must be a NonAdminBackup of the namespace that was made",
    "scheduleName": NEVER,
    "includedNamespaces": NEVER,
    "excludedNamespaces": NEVER,
    "namespaceMapping": NEVER,
    "includeClusterResources": NO_CLUSTER,
}
LOCATION: Final = {
    "credential": "must be a Secret of the namespace, with the key in it",
    "default": "can only be false",
    "objectStorage.prefix": "is put behind {namespace}/",
}
"""By the field of a spec, what always holds."""


@dataclass(frozen=True, slots=True)
class Source:
    """The administrator's rules, and where they are from."""

    policy: Policy | None
    """None where they can not be read."""
    where: str


def document(namespace: str, source: Source) -> dict[str, Any]:
    """Give all rules for programs."""
    policy = source.policy
    found: dict[str, Any] = {
        "namespace": namespace,
        "backup": _part(namespace, BACKUP, [*NAMESPACED_EXCLUDED, *CLUSTER_EXCLUDED]),
        "restore": _part(namespace, RESTORE, [*RESTORE_EXCLUDED, *CLUSTER_EXCLUDED]),
        "location": {"rules": _told(namespace, LOCATION)},
        "administrator": {"source": source.where, "readable": policy is not None},
    }
    if policy is not None:
        found["administrator"] |= {
            "problems": list(policy.problems),
            "enforceBackupSpec": dict(policy.backup),
            "enforceRestoreSpec": dict(policy.restore),
            "enforceBSLSpec": dict(policy.location),
            "requireApprovalForBSL": policy.require_approval,
            "allowedResourcePolicies": sorted(policy.resource_policies),
            "allowedResourceModifiers": sorted(policy.resource_modifiers),
            "allowHooks": policy.allow_hooks,
        }
    return found


def written(namespace: str, source: Source) -> str:
    """Write all rules for people. Ends with a newline."""
    from kedge.cli.description import Description

    text = Description()
    text.line("Namespace:", namespace)
    for title, rules in (("backup", BACKUP), ("restore", RESTORE), ("location", LOCATION)):
        text.blank()
        text.line(f"Always, of a {title}:")
        for field, rule in _told(namespace, rules).items():
            text.line(field, rule, depth=1)
    text.blank()
    text.line("Never saved:", ", ".join((*NAMESPACED_EXCLUDED, *CLUSTER_EXCLUDED)))
    text.line("Never restored:", ", ".join((*RESTORE_EXCLUDED, *CLUSTER_EXCLUDED)))
    text.blank()
    if source.policy is None:
        text.line(f"By the administrator: {source.where}")
        return str(text)
    text.line(f"By the administrator ({source.where}):")
    for field, rule in administered(source.policy):
        text.line(field, rule, depth=1)
    return str(text)


def administered(policy: Policy) -> Sequence[tuple[str, str]]:
    """List the administrator's rules: fields, and what holds for them."""
    if policy.problems:
        return [("all requests", f"are refused until it is mended: {policy.problems[0]}")]
    found = []
    for head, enforced in (
        ("backupSpec", policy.backup),
        ("restoreSpec", policy.restore),
        ("backupStorageLocationSpec", policy.location),
    ):
        for name, value in enforced.items():
            rule = f"is {text_of(name, value)}, and can be nothing else"
            found.append((f"{head}.{name}", rule))
    hooks = "run in your own pods" if policy.allow_hooks else NEVER
    kinds = ", ".join(dict.fromkeys(name.partition(".")[0] for name in BUCKET_EXCLUDED))
    approval = f"are used at once; not restored from them are {kinds}"
    if policy.require_approval:
        approval = "are used after an approval"
    return [
        *found,
        ("backupSpec.resourcePolicy", _names(policy.resource_policies)),
        ("restoreSpec.resourceModifier", _names(policy.resource_modifiers)),
        ("hooks", hooks),
        ("storage locations", approval),
    ]


def _names(allowed: frozenset[str]) -> str:
    return f"can only name {', '.join(sorted(allowed))}" if allowed else NEVER


def _part(namespace: str, rules: Mapping[str, str], excluded: list[str]) -> dict[str, Any]:
    return {"rules": _told(namespace, rules), "alwaysExcluded": excluded}


def _told(namespace: str, rules: Mapping[str, str]) -> dict[str, str]:
    return {field: rule.format(namespace=namespace) for field, rule in rules.items()}
