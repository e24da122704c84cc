"""What has lost its origin, and what only seems so."""

from datetime import UTC, datetime, timedelta

import pytest

from kedge.controllers.nabgc.decide import (
    Ended,
    Head,
    Kept,
    Owner,
    is_due,
    is_foreign,
    is_orphan,
    is_waiting,
    owners_of,
)
from kedge.kube.meta import ObjectMeta, Partial
from kedge.selfservice.marks import NAB, NABSL, SYNCED_FROM, annotations_for, labels_for

NOW = datetime(2030, 1, 1, tzinfo=UTC)
PERIOD = timedelta(minutes=2)


def made(name: str = "n", origin: str = "nightly", uid: str = "") -> Head:
    return Head(
        ObjectMeta(
            name=name,
            labels=labels_for(NAB, name),
            annotations=annotations_for(NAB, "shop", origin, uid),
        )
    )


@pytest.mark.parametrize(
    ("one", "owner", "wanted"),
    [
        (made(), None, True),
        (made(uid="u1"), Owner("u1"), False),
        (made(), Owner("u1"), False),
        (made(uid="u2"), Owner("u1"), True),
        (made(uid="u2"), Owner("u1", "n"), False),
        (made(uid="u2"), Owner("u1", "another"), True),
        (Head(ObjectMeta(name="plain")), None, False),
        (Head(ObjectMeta(name="half", labels=labels_for(NAB, "half"))), None, False),
    ],
)
def test_the_very_object_counts(one: Head, owner: Owner | None, wanted: bool) -> None:
    owners = {("shop", "nightly"): owner} if owner else {}
    assert is_orphan(NAB, one, owners) is wanted


def test_what_is_going_already_is_left() -> None:
    one = made()
    one.metadata.deletion_timestamp = "2030-01-01T00:00:00Z"
    assert not is_orphan(NAB, one, {})


@pytest.mark.parametrize(
    ("location", "wanted"), [("", False), ("gone", False), ("admins", False), ("rivals", True)]
)
def test_what_is_in_the_bucket_of_others_is_theirs(location: str, wanted: bool) -> None:
    theirs = ObjectMeta(
        name="rivals",
        labels=labels_for(NABSL, "rivals"),
        annotations=annotations_for(NABSL, "rival", "bucket"),
    )
    places = {"admins": ObjectMeta(name="admins"), "rivals": theirs}
    one = Head(made().metadata, spec=Kept(location))
    assert is_foreign(NAB, one, places) is wanted


def test_owners_are_known_by_their_places() -> None:
    meta = ObjectMeta(namespace="shop", name="nightly", uid="u", labels={SYNCED_FROM: "n"})
    assert owners_of([Partial(metadata=meta)]) == {("shop", "nightly"): Owner("u", "n")}


@pytest.mark.parametrize(
    ("created", "completed", "period", "wanted"),
    [
        ("2029-12-31T23:57:00Z", "2029-01-01T00:00:00Z", PERIOD, True),
        ("2029-12-31T23:56:00Z", "2029-01-01T00:00:00Z", PERIOD, False),
        ("2029-12-31T23:57:00Z", None, PERIOD, False),
        ("2029-12-31T23:57:00Z", "2029-01-01T00:00:00Z", None, False),
        (None, "2029-01-01T00:00:00Z", PERIOD, False),
    ],
)
def test_only_a_whole_backup_that_just_came_is_waited_for(
    created: str | None, completed: str | None, period: timedelta | None, wanted: bool
) -> None:
    head = Head(ObjectMeta(name="n", creation_timestamp=created), Ended(completed))
    assert is_waiting(head, period, NOW) is wanted


def test_rounds_are_a_period_apart() -> None:
    assert is_due(None, PERIOD, 0.0)
    assert not is_due(10.0, PERIOD, 129.0)
    assert is_due(10.0, PERIOD, 130.0)
