"""Which Velero Backups count for whom."""

import pytest

from kedge.controllers.nabsync.decide import Bucket, buckets_of, candidate_of
from kedge.controllers.nabsync.heads import (
    BackupHead,
    BackupSpec,
    BackupStatus,
    LocationHead,
    LocationSpec,
)
from kedge.kube.meta import ObjectMeta, Partial
from kedge.selfservice.marks import NAB, NABSL, annotations_for, labels_for
from kedge.selfservice.nacuuid import nacuuid_for

UUID = "0d0b7b2c-ee76-412d-a867-2c23b8aa51ab"


def test_the_names_of_long_namespaces_are_known_again() -> None:
    for namespace in ("n" * 24, "n" * 25, "n" * 63, "n" * 24 + "-x"):
        name = nacuuid_for(namespace, "nightly", UUID)
        head = BackupHead(
            ObjectMeta(
                name=name,
                labels=labels_for(NAB, name),
                annotations=annotations_for(NAB, namespace, "nightly"),
            ),
            BackupSpec("b", [namespace]),
            BackupStatus("2029-01-01T00:00:00Z"),
        )
        assert candidate_of(head, {"b": Bucket(namespace, "bucket")}) is not None
        assert candidate_of(head, {"b": Bucket("other", "bucket")}) is None


@pytest.mark.parametrize(
    ("name", "uid", "is_default", "counts"),
    [
        ("mine", "u1", False, True),
        ("mine", "", False, True),
        ("mine", "u2", False, False),
        ("mine", "u2", True, False),
        ("other-name", "u1", False, False),
    ],
)
def test_a_location_counts_for_the_very_object_that_it_was_made_for(
    name: str, uid: str, is_default: bool, counts: bool
) -> None:
    location = LocationHead(
        ObjectMeta(
            name=name,
            labels=labels_for(NABSL, "mine"),
            annotations=annotations_for(NABSL, "shop", "bucket", uid),
        ),
        LocationSpec(is_default),
    )
    owners = {("shop", "bucket"): Partial(metadata=ObjectMeta(uid="u1"))}
    found = buckets_of([location], owners)
    assert found == ({name: Bucket("shop", "bucket")} if counts else {})


def test_a_location_with_half_a_mark_is_nobodys() -> None:
    meta = ObjectMeta(name="half", labels=labels_for(NABSL, "half"))
    assert buckets_of([LocationHead(meta, LocationSpec(True))], {}) == {}
    plain = LocationHead(ObjectMeta(name="admins"), LocationSpec(True))
    assert buckets_of([plain], {}) == {"admins": Bucket()}
