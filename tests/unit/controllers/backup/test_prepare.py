"""What the server fills in, what it refuses, and in which words."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.api.plain import from_plain
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.snapshot_location import VOLUME_SNAPSHOT_LOCATION, VolumeSnapshotLocation
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION, BackupStorageLocation
from kedge.controllers.backup.decide import Facts, Prepared, prepare
from kedge.controllers.backup.settings import BackupSettings
from kedge.controllers.backup.snapshots import SnapshotLocations
from kedge.kube.kind import Object

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SETTINGS = BackupSettings()
SNAPSHOTS = "volumesnapshots.snapshot.storage.k8s.io"
CONTENTS = "volumesnapshotcontents.snapshot.storage.k8s.io"


def location(name: str = "default", phase: str = "Available", **spec: Any) -> BackupStorageLocation:
    plain = {"metadata": {"name": name}, "spec": spec, "status": {"phase": phase}}
    return from_plain(BACKUP_STORAGE_LOCATION, plain)


def snapshot_location(name: str, provider: str) -> VolumeSnapshotLocation:
    plain = {"metadata": {"name": name}, "spec": {"provider": provider}}
    return from_plain(VOLUME_SNAPSHOT_LOCATION, plain)


GOOD = Facts(locations=[location()], version=("v1.34.0", "1", "34"))


def backup(metadata: Object | None = None, **spec: Any) -> Object:
    return {"metadata": {"name": "b", "namespace": "velero", **(metadata or {})}, "spec": spec}


def prepared(facts: Facts = GOOD, **spec: Any) -> Prepared:
    return prepare(backup(**spec), facts, SETTINGS, NOW)


def test_all_that_is_left_open_is_filled_in() -> None:
    assert prepared().spec == {
        "ttl": "720h0m0s",
        "csiSnapshotTimeout": "10m0s",
        "itemOperationTimeout": "4h0m0s",
        "volumeGroupSnapshotLabelKey": "velero.io/volume-group",
        "defaultVolumesToFsBackup": False,
        "snapshotMoveData": False,
        "storageLocation": "default",
        "includedNamespaces": ["*"],
        "excludedNamespaceScopedResources": [SNAPSHOTS],
        "excludedClusterScopedResources": [CONTENTS],
    }


def test_the_status_says_that_it_runs_and_when_it_expires() -> None:
    assert prepared(ttl="24h").status == {
        "version": 1,
        "formatVersion": "1.1.0",
        "expiration": "2030-01-02T00:00:00Z",
        "phase": "InProgress",
        "startTimestamp": "2030-01-01T00:00:00Z",
    }


def test_labels_and_annotations_tell_where_it_came_from_and_goes_to() -> None:
    long = "x" * 70
    facts = Facts(locations=[location(long)], version=("v1.34.0", "1", "34"))
    found = prepared(facts, storageLocation=long)
    assert len(found.labels["velero.io/storage-location"]) == 63
    assert found.annotations == {
        "velero.io/source-cluster-k8s-gitversion": "v1.34.0",
        "velero.io/source-cluster-k8s-major-version": "1",
        "velero.io/source-cluster-k8s-minor-version": "34",
        "velero.io/resource-timeout": "10m0s",
    }


def test_what_is_said_stays_as_it_is() -> None:
    said: Object = {
        "ttl": "1h0m0s",
        "csiSnapshotTimeout": "1m0s",
        "itemOperationTimeout": "2h0m0s",
        "volumeGroupSnapshotLabelKey": "mine",
        "defaultVolumesToFsBackup": True,
        "snapshotMoveData": True,
        "storageLocation": "default",
        "includedNamespaces": ["a"],
        "someday": {"a": "field"},
    }
    found = prepared(**said)
    assert {name: found.spec[name] for name in said} == said
    assert set(found.change(backup(**said))["spec"]) == {
        "excludedNamespaceScopedResources",
        "excludedClusterScopedResources",
    }


def test_an_old_name_of_a_field_is_understood() -> None:
    assert prepared(defaultVolumesToRestic=True).spec["defaultVolumesToFsBackup"] is True
    assert prepared(defaultVolumesToRestic=False).spec["defaultVolumesToFsBackup"] is False


@pytest.mark.parametrize("zero", ["0s", "0", "", None])
def test_a_ttl_of_zero_is_none(zero: str | None) -> None:
    assert prepared(ttl=zero).status["expiration"] == "2030-01-31T00:00:00Z"


def test_a_duration_that_is_none_is_refused() -> None:
    found = prepared(ttl="1 day")
    assert found.status["phase"] == "FailedValidation"
    assert found.problems == ['invalid ttl: time: unknown unit " day" in duration "1 day"']


def test_a_negative_ttl_is_refused_and_expires_nothing() -> None:
    """A backup that is over before it begins would be deleted as soon as it is complete."""
    found = prepared(ttl="-5h")
    assert found.status["phase"] == "FailedValidation"
    assert found.problems == ["invalid ttl: -5h0m0s is negative; write it as 720h, or leave it out"]
    assert "expiration" not in found.status


def test_a_marked_location_goes_before_the_one_of_the_server() -> None:
    marked = Facts(locations=[location(), location("marked", default=True)])
    assert prepared(marked).spec["storageLocation"] == "marked"
    assert prepared(marked, storageLocation="default").spec["storageLocation"] == "default"


MISSING = (
    "an existing backup storage location was not specified at backup creation time and the {}. "
    "Please address this issue (see `velero backup-location -h` for options) and create a new "
    'backup. Error: backupstoragelocations.velero.io "{}" not found'
)


@pytest.mark.parametrize(
    ("facts", "spec", "problem"),
    [
        (Facts(), {}, MISSING.format("server default default does not exist", "default")),
        (GOOD, {"storageLocation": "x"}, MISSING.format("default x was not found", "x")),
        (
            Facts(locations_error="forbidden"),
            {},
            "error getting backup storage location: forbidden",
        ),
        (
            Facts(locations=[location(accessMode="ReadOnly")]),
            {},
            "backup can't be created because backup storage location default is currently in "
            "read-only mode",
        ),
        (
            Facts(locations=[location(phase="")]),
            {},
            "backup can't be created because BackupStorageLocation default is in Unavailable "
            "status.",
        ),
        (
            Facts(locations=[location()], namespaces_error="error getting namespace list: no"),
            {},
            "error getting namespace list: no",
        ),
        (
            Facts(locations=[location()], policies_error="fail to get ResourcePolicies"),
            {},
            "fail to get ResourcePolicies",
        ),
        (
            GOOD,
            {"volumeSnapshotLocations": ["x"]},
            "a VolumeSnapshotLocation CRD for the location x with the name specified in the backup "
            "spec needs to be created before this snapshot can be executed. Error: "
            'volumesnapshotlocations.velero.io "x" not found',
        ),
        (
            GOOD,
            {"labelSelector": {}, "orLabelSelectors": [{}]},
            "encountered labelSelector as well as orLabelSelectors in backup spec, only one can be "
            "specified",
        ),
    ],
)
def test_what_is_wrong_is_told(facts: Facts, spec: Object, problem: str) -> None:
    found = prepared(facts, **spec)
    assert found.problems == [problem]
    assert found.status["phase"] == "FailedValidation"
    assert found.status["validationErrors"] == [problem]
    assert "startTimestamp" not in found.status


def test_a_spec_of_another_shape_is_refused_and_not_fatal() -> None:
    found = prepared(includedNamespaces="all")
    assert found.problems[0].startswith("invalid spec: ")


def test_namespaces_that_are_labelled_are_left_out_once() -> None:
    facts = Facts(locations=[location()], left_out=("private", "x"))
    spec = prepared(facts, excludedNamespaces=["x"]).spec
    assert spec["excludedNamespaces"] == ["x", "private"]
    assert prepared(facts, **spec).spec["excludedNamespaces"] == ["x", "private"]


def test_a_labelled_namespace_that_is_asked_for_is_a_contradiction() -> None:
    facts = Facts(locations=[location()], left_out=("private",))
    (problem,) = prepared(facts, includedNamespaces=["private"]).problems
    assert problem == (
        "Invalid included/excluded namespace lists: excludes list cannot contain an item in the "
        "includes list: private"
    )


def test_snapshots_are_left_out_by_the_filters_that_are_in_use() -> None:
    old = prepared(includedResources=["pods", SNAPSHOTS]).spec
    assert old["excludedResources"] == [SNAPSHOTS, CONTENTS]
    assert old["includedResources"] == ["pods"]
    assert "excludedClusterScopedResources" not in old
    only = prepared(includedResources=[SNAPSHOTS]).spec
    assert only["includedResources"] == [SNAPSHOTS]
    new = prepared(excludedNamespaceScopedResources=["*"]).spec
    assert new["excludedNamespaceScopedResources"] == ["*"]
    assert new["excludedClusterScopedResources"] == [CONTENTS]


def test_locations_for_snapshots_are_one_for_each_provider() -> None:
    found = [snapshot_location("one", "aws"), snapshot_location("two", "aws")]
    found.append(snapshot_location("three", "gcp"))
    facts = Facts(locations=[location()], snapshots=SnapshotLocations(found))
    assert prepared(facts).problems == [
        "provider aws has more than one possible volume snapshot location, and none were "
        "specified explicitly or as a default"
    ]
    assert prepared(facts, volumeSnapshotLocations=["two"]).spec["volumeSnapshotLocations"] == [
        "three",
        "two",
    ]
    assert prepared(facts, volumeSnapshotLocations=["two", "one"]).problems == [
        "more than one VolumeSnapshotLocation name specified for provider aws: one; unexpected "
        "name was two"
    ]
    assert prepared(facts, snapshotVolumes=False).problems == []


NAMES = st.lists(st.sampled_from(["a", "b", "*", SNAPSHOTS, CONTENTS]), max_size=3)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "ttl": st.sampled_from(["", "0s", "1h", "-5m"]),
        "storageLocation": st.sampled_from(["", "default", "none"]),
        "includedNamespaces": NAMES,
        "excludedNamespaces": NAMES,
        "includedResources": NAMES,
        "excludedResources": NAMES,
        "includedClusterScopedResources": NAMES,
        "excludedClusterScopedResources": NAMES,
        "includedNamespaceScopedResources": NAMES,
        "excludedNamespaceScopedResources": NAMES,
        "includeClusterResources": st.booleans(),
        "snapshotVolumes": st.booleans(),
        "defaultVolumesToRestic": st.booleans(),
    },
)


@given(SPECS)
def test_to_prepare_what_is_prepared_changes_nothing(spec: Object) -> None:
    """A server that dies between two writes leaves a Backup that the next one prepares again."""
    facts = Facts(locations=[location()], left_out=("private",), version=("v1", "1", "0"))
    first = prepare(backup(**spec), facts, SETTINGS, NOW)
    half = backup({"labels": first.labels, "annotations": first.annotations}, **first.spec)
    again = prepare(half, facts, SETTINGS, NOW + timedelta(seconds=5))
    assert again.change(half) == {}
    assert bool(again.problems) == bool(first.problems)
    asked = {**first.spec, "excludedNamespaces": spec.get("excludedNamespaces")}
    assert from_plain(BACKUP, {"spec": asked}).spec == first.typed


def test_the_spec_follows_where_other_namespaces_were_left_out() -> None:
    facts = Facts(locations=[location()], left_out=("private", "x"))
    found = prepared(facts, excludedNamespaces=["x"])
    assert found.typed.excluded_namespaces == ["x"]
    assert found.excluding(("private", "x")) == {}
    assert found.excluding(()) == {"excludedNamespaces": ["x"]}
    assert found.excluding(("late",)) == {"excludedNamespaces": ["x", "late"]}
    assert prepared().excluding(()) == {}
    assert prepared().excluding(("late",)) == {"excludedNamespaces": ["late"]}


@given(SPECS)
def test_a_change_leads_to_what_is_prepared(spec: Object) -> None:
    made = backup(**spec)
    found = prepare(made, GOOD, SETTINGS, NOW)
    change = found.change(made)
    assert {**spec, **change.get("spec", {})} == found.spec
