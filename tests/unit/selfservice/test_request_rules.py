"""What people may ask for: the first rule that a spec breaks."""

from itertools import product
from typing import Any

import msgspec
import pytest

from kedge.selfservice.policy import NOTHING, Policy
from kedge.selfservice.validate import (
    LARGEST,
    OwnBackup,
    OwnLocation,
    backup_problem,
    restore_problem,
)

READY = OwnLocation(True, "Created", "u", True, True, "u")
MADE = OwnBackup(True, "Created", "velero-name")
B = "NonAdminBackup spec.backupSpec"
R = "NonAdminRestore nonAdminRestore.spec.restoreSpec"
LONG = "99999999999h"
"""The pattern of durations lets it through, and no Velero can read a list with it."""
TOO_LONG = f'time: invalid duration "{LONG}"'


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (None, "BackupSpec is not defined"),
        ({}, ""),
        ({"includedNamespaces": None}, ""),
        ({"includedNamespaces": []}, ""),
        ({"includedNamespaces": ["shop"]}, ""),
        ({"includedNamespaces": ["shop", "shop"]}, ""),
        *(
            (
                {"includedNamespaces": names},
                f"{B}.includedNamespaces is restricted, "
                "can not contain namespaces other than: shop",
            )
            for names in (["other"], ["shop", "other"], ["*"], [""], ["shop*"], ["wrong", "again"])
        ),
        ({"excludedNamespaces": []}, f"{B}.excludedNamespaces is restricted"),
        ({"excludedNamespaces": ["x"]}, f"{B}.excludedNamespaces is restricted"),
        ({"includeClusterResources": False}, ""),
        (
            {"includeClusterResources": True},
            f"{B}.includeClusterResources is restricted, can only be set to false",
        ),
        ({"includedClusterScopedResources": []}, ""),
        (
            {"includedClusterScopedResources": ["nodes"]},
            f"{B}.includedScopedResources is restricted, must remain empty",
        ),
        ({"volumeSnapshotLocations": []}, f"{B}.volumeSnapshotLocations is restricted"),
        ({"includedResources": ["pods"], "labelSelector": {}, "ttl": "1h"}, ""),
        (
            {"resourcePolicy": {"kind": "configmap", "name": "velero-secrets"}},
            f"{B}.resourcePolicy is restricted, can only name what the administrator lists in "
            "allowedResourcePolicies",
        ),
        ({"ttl": "-1h", "csiSnapshotTimeout": "2562047h", "itemOperationTimeout": "0"}, ""),
        ({"ttl": LONG}, f"{B}.ttl is invalid: {TOO_LONG}"),
        ({"csiSnapshotTimeout": LONG}, f"{B}.csiSnapshotTimeout is invalid: {TOO_LONG}"),
        ({"itemOperationTimeout": LONG}, f"{B}.itemOperationTimeout is invalid: {TOO_LONG}"),
        ({"hooks": {"resources": None}}, ""),
        ({"hooks": {"resources": [{"name": "x", "pre": [{"exec": {"timeout": "30s"}}]}]}}, ""),
        *(
            (
                {"hooks": {"resources": [{"name": "x"}, {"name": "y", when: [{}, hook]}]}},
                f"{B}.hooks.resources[1].{when}[1].exec.timeout is invalid: {TOO_LONG}",
            )
            for when, hook in product(("pre", "post"), ({"exec": {"timeout": LONG}},))
        ),
    ],
)
def test_a_backup(spec: Any, problem: str) -> None:
    assert backup_problem(spec, "shop", NOTHING) == problem


@pytest.mark.parametrize(
    ("location", "problem"),
    [
        (READY, ""),
        (
            OwnLocation(),
            "NonAdminBackupStorageLocation not found in the namespace: "
            'nonadminbackupstoragelocations.oadp.openshift.io "mine" not found',
        ),
        (
            OwnLocation(True, "BackingOff"),
            "NonAdminBackupStorageLocation is not in created state and can not be used for the "
            "NonAdminBackup",
        ),
        (
            OwnLocation(True, "Created"),
            "unable to get VeleroBackupStorageLocation UUID from NonAdminBackupStorageLocation "
            "Status",
        ),
        (
            OwnLocation(True, "Created", "u"),
            "VeleroBackupStorageLocation with NACUUID u not found in the OADP namespace",
        ),
        (
            OwnLocation(True, "Created", "u", True),
            "VeleroBackupStorageLocation with NACUUID u is not in available state and can not be "
            "used for the NonAdminBackup",
        ),
    ],
)
def test_where_a_backup_may_be_kept(location: OwnLocation, problem: str) -> None:
    assert backup_problem({"storageLocation": "mine"}, "shop", NOTHING, location) == problem
    assert backup_problem({"storageLocation": ""}, "shop", NOTHING, location) == ""


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (None, "RestoreSpec is not defined"),
        ({"backupName": "x"}, ""),
        ({}, "NonAdminRestore spec.restoreSpec.backupName is not set"),
        ({"backupName": "x", "scheduleName": "s"}, f"{R}.scheduleName is restricted"),
        ({"backupName": "x", "includedNamespaces": []}, f"{R}.includedNamespaces is restricted"),
        ({"backupName": "x", "excludedNamespaces": []}, f"{R}.excludedNamespaces is restricted"),
        (
            {"backupName": "x", "namespaceMapping": {"shop": "kube-system"}},
            f"{R}.namespaceMapping is restricted",
        ),
        ({"backupName": "x", "namespaceMapping": {}}, f"{R}.namespaceMapping is restricted"),
        ({"backupName": "x", "includeClusterResources": False}, ""),
        (
            {"backupName": "x", "includeClusterResources": True},
            f"{R}.includeClusterResources is restricted, can only be set to false",
        ),
        (
            {"backupName": "x", "resourceModifier": {"kind": "configmap", "name": "c"}},
            f"{R}.resourceModifier is restricted, can only name what the administrator lists in "
            "allowedResourceModifiers",
        ),
        (
            {"backupName": "x", "itemOperationTimeout": LONG},
            f"{R}.itemOperationTimeout is invalid: {TOO_LONG}",
        ),
        *(
            (
                {"backupName": "x", "hooks": {"resources": [{"name": "x", "postHooks": [hook]}]}},
                f"{R}.hooks.resources[0].postHooks[0].{path} is invalid: {TOO_LONG}",
            )
            for path, hook in {
                "exec.execTimeout": {"exec": {"waitTimeout": "1m", "execTimeout": LONG}},
                "exec.waitTimeout": {"exec": {"waitTimeout": LONG}},
                "init.timeout": {"init": {"timeout": LONG, "initContainers": [{"timeout": "x"}]}},
            }.items()
        ),
    ],
)
def test_a_restore(spec: Any, problem: str) -> None:
    assert restore_problem(spec, NOTHING, MADE) == problem


@pytest.mark.parametrize(
    ("backup", "problem"),
    [
        (None, 'nonadminbackups.oadp.openshift.io "x" not found'),
        (OwnBackup(True, "BackingOff", "v"), "NonAdminBackup is not ready to be restored"),
        (OwnBackup(True, "Created", ""), "NonAdminBackup is not ready to be restored"),
    ],
)
def test_a_restore_needs_a_backup_of_its_own(backup: OwnBackup | None, problem: str) -> None:
    found = restore_problem({"backupName": "x"}, NOTHING, backup)
    assert found == f"NonAdminRestore spec.restoreSpec.backupName is invalid: {problem}"


ENFORCED: list[tuple[str, Any, Any, str]] = [
    ("metadata", {"labels": {"a": "b"}}, {"labels": {"a": "c"}}, "map[labels:map[a:b]]"),
    ("includedResources", ["a"], ["b"], "[a]"),
    ("excludedResources", ["a", "b"], [], "[a b]"),
    ("excludedClusterScopedResources", ["a"], ["b"], "[a]"),
    ("includedNamespaceScopedResources", ["a"], ["b"], "[a]"),
    ("excludedNamespaceScopedResources", ["a"], ["b"], "[a]"),
    ("labelSelector", {"matchLabels": {"a": "b"}}, {}, "map[matchLabels:map[a:b]]"),
    ("orLabelSelectors", [{}], [], "[map[]]"),
    ("snapshotVolumes", False, True, "false"),
    ("ttl", "36h", "1h", "36h0m0s"),
    ("hooks", {"resources": []}, {"resources": [{"name": "x"}]}, "map[resources:[]]"),
    ("defaultVolumesToRestic", True, False, "true"),
    ("defaultVolumesToFsBackup", True, False, "true"),
    ("orderedResources", {"a": "b"}, {}, "map[a:b]"),
    ("csiSnapshotTimeout", "5m", "6m", "5m0s"),
    ("itemOperationTimeout", "4h", "5h", "4h0m0s"),
    ("resourcePolicy", {"name": "a"}, {"name": "b"}, "map[name:a]"),
    ("snapshotMoveData", True, False, "true"),
    ("datamover", "velero", "other", "velero"),
    ("uploaderConfig", {"parallelFilesUpload": 2}, {}, "map[parallelFilesUpload:2]"),
    ("volumeGroupSnapshotLabelKey", "a", "b", "a"),
    ("includeClusterResources", False, None, "false"),
]


@pytest.mark.parametrize(("name", "enforced", "other", "text"), ENFORCED, ids=lambda v: str(v)[:20])
def test_an_enforced_field_may_be_left_out_or_be_the_same(
    name: str, enforced: Any, other: Any, text: str
) -> None:
    policy = Policy(backup={name: enforced})
    assert backup_problem({}, "shop", policy) == ""
    assert backup_problem({name: enforced}, "shop", policy) == ""
    assert backup_problem({name: None}, "shop", policy) == ""
    if other is not None:
        assert backup_problem({name: other}, "shop", policy) == (
            f"the administrator has restricted spec.backupSpec.{name} field value to {text}"
        )


def test_durations_are_compared_by_their_length() -> None:
    assert backup_problem({"ttl": "60m"}, "shop", Policy(backup={"ttl": "1h"})) == ""


def test_restores_are_held_to_their_own_rules() -> None:
    policy = Policy(restore={"restorePVs": False}, backup={"snapshotVolumes": False})
    assert restore_problem({"backupName": "x", "restorePVs": True}, policy, MADE) == (
        "the administrator has restricted spec.restoreSpec.restorePVs field value to false"
    )
    assert restore_problem({"backupName": "x"}, policy, MADE) == ""


def test_a_policy_that_can_not_be_read_lets_nothing_through() -> None:
    broken = Policy(problems=("ttl: oh",))
    assert "ttl: oh" in backup_problem({}, "shop", broken)
    assert "ttl: oh" in restore_problem({"backupName": "x"}, broken, MADE)


def test_listed_config_maps_and_hooks() -> None:
    listed = Policy(resource_policies=frozenset({"c"}), resource_modifiers=frozenset({"m"}))
    assert backup_problem({"resourcePolicy": {"name": "c"}}, "shop", listed) == ""
    modified = {"backupName": "x", "resourceModifier": {"name": "m"}}
    assert restore_problem(modified, listed, MADE) == ""
    closed = Policy(allow_hooks=False)
    hooks = {"hooks": {"resources": [{"name": "x"}]}}
    assert backup_problem(hooks, "shop", closed) == f"{B}.hooks is restricted"
    assert restore_problem({**hooks, "backupName": "x"}, closed, MADE) == f"{R}.hooks is restricted"
    assert backup_problem({"hooks": {}}, "shop", closed) == ""
    assert backup_problem(hooks, "shop", NOTHING) == ""


def test_a_spec_that_fits_into_an_object_only_once_is_refused() -> None:
    def spec(letters: int) -> dict[str, Any]:
        return {"backupName": "x", "includedResources": ["x" * letters]}

    used = len(msgspec.json.encode(spec(0)))
    assert backup_problem(spec(LARGEST - used), "shop", NOTHING) == ""
    assert restore_problem(spec(LARGEST - used), NOTHING, MADE) == ""
    text = "has 524289 bytes, and is kept twice: shorten it to 524288"
    assert backup_problem(spec(LARGEST - used + 1), "shop", NOTHING) == f"{B} {text}"
    assert restore_problem(spec(LARGEST - used + 1), NOTHING, MADE) == f"{R} {text}"
