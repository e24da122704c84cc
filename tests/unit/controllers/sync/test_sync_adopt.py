"""A Backup of a bucket is checked before it is taken in."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.controllers.sync.adopt import Home, NotYet, Unfit, adopt, read_found, schedules_of
from kedge.controllers.sync.volumes import adopt_volume
from kedge.kube.kind import Object
from kedge.selfservice.marks import NAB, annotations_for, labels_for

NOW = datetime(2030, 1, 1, tzinfo=UTC)
HOME = Home("velero", "default")


def found(**changes: Any) -> Object:
    """Write what lies in a bucket."""
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {"name": "nightly", "labels": None, "creationTimestamp": None},
        "spec": {"hooks": {}, "labelSelector": None, "newerThanWeAre": {"a": None, "b": 1}},
        "status": {"phase": "Completed", "expiration": None},
        **changes,
    }


def taken(one: Object) -> Object:
    """Take it in."""
    clean = read_found(one, "nightly")
    return adopt(clean, HOME, {}, NOW)


def test_nulls_are_left_out_and_what_is_not_known_is_kept() -> None:
    made = taken(found())
    assert made["spec"] == {"hooks": {}, "newerThanWeAre": {"b": 1}, "storageLocation": "default"}
    assert made["status"] == {"phase": "Completed"}
    assert made["metadata"]["labels"] == {"velero.io/storage-location": "default"}
    assert made["metadata"]["annotations"] == {"kedge.dev/synced-from": "default/nightly"}


def test_a_long_name_of_a_location_is_cut_in_the_label_only() -> None:
    home = Home("velero", "x" * 100)
    made = adopt(read_found(found(), "nightly"), home, {}, NOW)
    assert len(made["metadata"]["labels"]["velero.io/storage-location"]) == 63
    assert made["spec"]["storageLocation"] == "x" * 100


@pytest.mark.parametrize("expiration", [None, "2030-01-01T00:00:01Z"])
def test_what_is_under_way_is_not_yet_there(expiration: str | None) -> None:
    with pytest.raises(NotYet):
        taken(found(status={"phase": "Finalizing", "expiration": expiration}))


def test_what_is_under_way_is_taken_in_when_it_has_expired() -> None:
    status = {"phase": "Finalizing", "expiration": "2030-01-01T00:00:00Z"}
    assert taken(found(status=status))["status"]["phase"] == "PartiallyFailed"


@pytest.mark.parametrize("phase", ["", "New", "Queued", "ReadyToStart", "InProgress", "Deleting"])
def test_what_would_be_run_or_deleted_is_not_taken_in(phase: str) -> None:
    with pytest.raises(Unfit, match="phase"):
        taken(found(status={"phase": phase}))


def test_only_owners_that_are_there_are_kept() -> None:
    owner = {"apiVersion": "velero.io/v1", "kind": "Schedule", "name": "daily", "uid": "u"}
    metadata = {
        "name": "nightly",
        "ownerReferences": [
            owner,
            {**owner, "uid": "v"},
            {**owner, "name": "gone"},
            {**owner, "kind": "Backup"},
            {**owner, "apiVersion": "velero.io/v2"},
        ],
    }
    clean = read_found(found(metadata=metadata), "nightly")
    assert schedules_of(clean) == ["daily", "daily", "gone"]
    made = adopt(clean, HOME, {"daily": "u", "gone": ""}, NOW)
    assert made["metadata"]["ownerReferences"] == [owner]
    empty = {**metadata, "ownerReferences": [{**owner, "uid": ""}]}
    made = adopt(read_found(found(metadata=empty), "nightly"), HOME, {"daily": ""}, NOW)
    assert "ownerReferences" not in made["metadata"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["apiVersion", "kind", "metadata", "name", "status", "phase", "spec", "labels"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["metadata", "spec", "status"]), JSON, max_size=3))
def test_whatever_is_found_is_taken_in_or_refused_in_words(parts: dict[str, Any]) -> None:
    one = found(**parts)
    try:
        made = taken(one)
    except (Unfit, NotYet):
        return
    assert made["metadata"]["name"] == "nightly"
    assert msgspec.json.encode(made)


@given(JSON)
def test_whatever_volume_is_found_is_taken_in_or_refused_in_words(one: Any) -> None:
    backup = {"metadata": {"name": "nightly", "uid": "u"}}
    try:
        made = adopt_volume(one, backup, HOME)
    except Unfit:
        return
    assert made["metadata"]["namespace"] == "velero"


@pytest.mark.parametrize("tenant", ["", "shop"])
def test_a_volume_is_of_the_backup_that_it_lies_with_whatever_it_says(tenant: str) -> None:
    """Of which Backup it is, others find out by its labels."""
    labels = {"velero.io/backup-name": "another", "velero.io/pvc-uid": "p", "mine": "x"}
    volume = {"metadata": {"name": "v", "labels": labels}, "status": {"phase": "Completed"}}
    backup = {"metadata": {"name": "shop-" + "n" * 80, "uid": "u"}}
    made = adopt_volume(volume, backup, replace(HOME, tenant=tenant))["metadata"]["labels"]
    name = made.pop("velero.io/backup-name")
    assert (len(name), name[:5], made.pop("velero.io/backup-uid")) == (63, "shop-", "u")
    assert made == ({} if tenant else {"velero.io/pvc-uid": "p", "mine": "x"})


OWN = "shop-mine-0d0b7b2c-ee76-412d-a867-2c23b8aa51ab"


def of(namespace: str, name: str = OWN, **more: Any) -> Object:
    """Write the metadata of a Backup that says whose it is."""
    labels, annotations = labels_for(NAB, OWN), annotations_for(NAB, namespace, "mine", "u-1")
    return {"name": name, "labels": labels, "annotations": annotations, **more}


def test_in_a_bucket_of_people_is_what_is_theirs() -> None:
    clean = read_found(found(metadata=of("shop")), OWN)
    made = adopt(clean, replace(HOME, tenant="shop"), {}, NOW)
    assert made["metadata"]["annotations"][NAB.namespace] == "shop"


def test_from_a_bucket_of_people_no_label_and_no_owner_comes_but_their_mark() -> None:
    """One that says to be of a Schedule would be what a restore from that Schedule restores."""
    metadata = of("shop")
    schedule = {"apiVersion": "velero.io/v1", "kind": "Schedule", "name": "nightly", "uid": "s"}
    forged: Object = {
        "labels": {**metadata["labels"], "velero.io/schedule-name": "nightly"},
        "annotations": {**metadata["annotations"], "kedge.dev/volume-data": "abandon"},
        "ownerReferences": [schedule],
    }
    clean = read_found(found(metadata=metadata | forged), OWN)
    made = adopt(clean, replace(HOME, tenant="shop"), {"nightly": "s"}, NOW)["metadata"]
    location = {"velero.io/storage-location": "default"}
    assert made["labels"] == metadata["labels"] | location
    mark = {"kedge.dev/synced-from": f"default/{OWN}"}
    assert made["annotations"] == metadata["annotations"] | mark
    assert "ownerReferences" not in made
    theirs = adopt(clean, HOME, {"nightly": "s"}, NOW)["metadata"]
    assert theirs["labels"] == forged["labels"] | location
    assert theirs["ownerReferences"] == [schedule]


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        (of("kube-system"), 'it says to be of "kube-system", and the bucket belongs to "shop"'),
        ({"name": OWN}, 'it does not say whose it is, and the bucket belongs to "shop"'),
        (of("shop", "nightly"), f'it has not the name that its mark says, "{OWN}"'),
    ],
)
def test_in_a_bucket_of_people_nothing_is_taken_in_the_name_of_others(
    metadata: Object, why: str
) -> None:
    clean = read_found(found(metadata=metadata), metadata["name"])
    with pytest.raises(Unfit, match=why):
        adopt(clean, replace(HOME, tenant="shop"), {}, NOW)


@pytest.mark.parametrize(
    ("tenant", "name"),
    [
        ("store", OWN),
        ("shop", "shop-nightly-20300101020000"),
        ("shop", "shop-before-the-upgrade"),
        ("shop", f"{OWN}-1"),
        ("shop", OWN.upper()),
    ],
)
def test_in_a_bucket_of_people_nothing_has_a_name_that_none_of_theirs_can_have(
    tenant: str, name: str
) -> None:
    """Names of runs of a Schedule can be foretold: nobody may take one before its time."""
    marks = {"labels": labels_for(NAB, name), "annotations": annotations_for(NAB, tenant, "mine")}
    clean = read_found(found(metadata={"name": name, **marks}), name)
    with pytest.raises(Unfit, match="with a uuid in the end"):
        adopt(clean, replace(HOME, tenant=tenant), {}, NOW)


def test_in_the_administrator_s_bucket_may_be_what_was_made_for_anybody() -> None:
    clean = read_found(found(metadata=of("kube-system", "nightly")), "nightly")
    assert adopt(clean, HOME, {}, NOW)["metadata"]["name"] == "nightly"
