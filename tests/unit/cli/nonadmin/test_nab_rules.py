from typing import Any

import pytest

from kedge.cli.nab.rules import BACKUP, RESTORE, Source, administered, document, written
from kedge.selfservice.policy import NOTHING, policy_of_config
from kedge.selfservice.validate import OwnBackup, backup_problem, restore_problem
from kedge.selfservice.velero import CLUSTER_EXCLUDED, NAMESPACED_EXCLUDED, RESTORE_EXCLUDED

BROKEN: dict[str, Any] = {
    "includedNamespaces": ["other"],
    "excludedNamespaces": ["other"],
    "includeClusterResources": True,
    "includedClusterScopedResources": ["nodes"],
    "storageLocation": "not-mine",
    "volumeSnapshotLocations": ["a"],
    "backupName": "not-mine",
    "scheduleName": "a",
    "namespaceMapping": {"a": "b"},
}
CALLED = {
    "includedClusterScopedResources": "includedScopedResources",
    "storageLocation": "NonAdminBackupStorageLocation not found in the namespace",
}
"""What the server calls a field, where that is something else."""
CONFIG = {
    "data": {
        "enforceBackupSpec": "{ttl: 36h, snapshotVolumes: false}",
        "enforceRestoreSpec": "{restorePVs: false}",
        "enforceBSLSpec": "{provider: aws, objectStorage: {bucket: b}, config: {region: eu}}",
        "allowedResourcePolicies": "[skip-caches, big]",
        "requireApprovalForBSL": "true",
        "allowHooks": "false",
    }
}


@pytest.mark.parametrize("field", BACKUP)
def test_every_rule_on_backups_is_one_that_the_server_has(field: str) -> None:
    spec = {field: BROKEN[field]}
    assert CALLED.get(field, field) in backup_problem(spec, "shop", NOTHING)


@pytest.mark.parametrize("field", RESTORE)
def test_every_rule_on_restores_is_one_that_the_server_has(field: str) -> None:
    is_own = field != "backupName"
    spec = {"backupName": "mine", field: BROKEN[field]}
    assert field in restore_problem(spec, NOTHING, OwnBackup(is_own, "Created", "v"))


def test_the_administrators_rules_are_told_by_field() -> None:
    rules = dict(administered(policy_of_config(CONFIG)))
    assert "36h" in rules["backupSpec.ttl"]
    assert "false" in rules["backupSpec.snapshotVolumes"]
    assert "false" in rules["restoreSpec.restorePVs"]
    assert "aws" in rules["backupStorageLocationSpec.provider"]
    assert "backupStorageLocationSpec.objectStorage" in rules
    assert "backupStorageLocationSpec.config" in rules
    assert rules["backupSpec.resourcePolicy"] == "can only name big, skip-caches"
    assert rules["restoreSpec.resourceModifier"] == "can not be set"
    assert rules["hooks"] == "can not be set"
    assert "approval" in rules["storage locations"]


def test_a_policy_that_can_not_be_read_closes_everything() -> None:
    policy = policy_of_config({"data": {"enforceBackupSpec": "ttl: ["}})
    ((field, rule),) = administered(policy)
    assert field == "all requests"
    assert "enforceBackupSpec" in rule


def test_all_rules_are_written_for_people_and_for_programs() -> None:
    source = Source(policy_of_config(CONFIG), "here")
    told, found = written("shop", source), document("shop", source)
    for name in (*NAMESPACED_EXCLUDED, *CLUSTER_EXCLUDED, *RESTORE_EXCLUDED, *BACKUP, *RESTORE):
        assert name in told
    assert found["backup"]["alwaysExcluded"] == [*NAMESPACED_EXCLUDED, *CLUSTER_EXCLUDED]
    assert found["restore"]["alwaysExcluded"] == [*RESTORE_EXCLUDED, *CLUSTER_EXCLUDED]
    assert found["administrator"]["enforceBackupSpec"] == {"ttl": "36h", "snapshotVolumes": False}
    assert "By the administrator (here):" in told


def test_rules_that_can_not_be_read_are_said_to_be_so() -> None:
    source = Source(None, "hidden")
    assert written("shop", source).endswith("By the administrator: hidden\n")
    administrator = document("shop", source)["administrator"]
    assert administrator == {"source": "hidden", "readable": False}
