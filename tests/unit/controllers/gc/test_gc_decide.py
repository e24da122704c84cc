"""Whether a Backup has to go, and what it is asked by."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kedge.controllers.gc.controller import matters
from kedge.controllers.gc.decide import Expired, Stuck, Wait, decide, request_for, request_name
from kedge.controllers.gc.heads import BackupHead, LocationHead, RequestHead
from kedge.kube.names import subdomain_name
from kedge.runtime import Change, Entry, Key
from kedge.runtime.entry import Meta

NOW = datetime(2030, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def backup(expiration: str | None = "2030-01-01T00:00:00Z", **more: Any) -> BackupHead:
    """Make a Backup."""
    meta = {"name": more.get("name", "nightly"), "uid": "u", "namespace": "velero"}
    status = {"expiration": expiration, "phase": more.get("phase", "Completed")}
    deleted = {"deletionTimestamp": "2030-01-01T00:00:00Z"} if more.get("deleted") else {}
    parts = {"metadata": {**meta, **deleted}, "spec": {"storageLocation": "x"}, "status": status}
    return msgspec.convert(parts, BackupHead)


def location(phase: str = "Available", mode: str = "") -> LocationHead:
    """Make a location."""
    parts = {"spec": {"accessMode": mode}, "status": {"phase": phase}}
    return msgspec.convert(parts, LocationHead)


def request(phase: str, created: str = "2029-12-31T23:30:00Z", uid: str = "r") -> RequestHead:
    """Make a request."""
    meta = {"name": "r", "uid": uid, "creationTimestamp": created}
    return msgspec.convert({"metadata": meta, "status": {"phase": phase}}, RequestHead)


@pytest.mark.parametrize(
    ("one", "where", "requests", "becomes"),
    [
        (backup(None), location(), [], Wait(None)),
        (backup("nonsense"), location(), [], Wait(None)),
        (backup(deleted=True), location(), [], Wait(None)),
        (
            backup("2030-01-01T00:00:01Z"),
            location(),
            [],
            Wait(NOW + timedelta(seconds=1)),
        ),
        (backup(), location(), [], Expired(request_name(backup(), ""))),
        (backup(phase="Finalizing"), location(), [], Wait(None)),
        (backup(), location("Unavailable"), [], Wait(None)),
        (backup(), location(""), [], Wait(None)),
        (backup(), location(), [request("")], Expired(None)),
        (backup(), location(), [request("New")], Expired(None)),
        (backup(), location(), [request("InProgress")], Expired(None)),
        (
            backup(),
            location(),
            [request("Processed")],
            Expired(None, NOW + timedelta(minutes=30)),
        ),
        (
            backup(),
            location(),
            [request("Processed", "2029-12-31T23:00:00Z")],
            Expired(request_name(backup(), "r")),
        ),
        (
            backup(),
            location(),
            [request("Processed"), request("New")],
            Expired(None),
        ),
    ],
)
def test_a_backup(
    one: BackupHead, where: LocationHead, requests: list[RequestHead], becomes: object
) -> None:
    assert decide(one, where, requests, HOUR, NOW) == becomes


def test_what_is_in_the_way_has_its_label() -> None:
    stuck = decide(backup(), None, [], HOUR, NOW)
    assert isinstance(stuck, Stuck)
    assert stuck.label == "BSLNotFound"
    stuck = decide(backup(), location(mode="ReadOnly"), [], HOUR, NOW)
    assert isinstance(stuck, Stuck)
    assert stuck.label == "BSLReadOnly"


@pytest.mark.parametrize("name", ["a", "a" * 253, "a" * 241 + "." + "b" * 11, "x." * 126 + "y"])
def test_names_of_requests_are_valid_stable_and_their_own(name: str) -> None:
    one = backup(name=name)
    first, second = request_name(one, ""), request_name(one, "before")
    assert first == request_name(one, "")
    assert first != second
    assert not subdomain_name(first)
    assert request_for(one, first)["spec"] == {"backupName": name}


def entry(where: LocationHead, version: str) -> Entry[LocationHead]:
    """Make an entry of a cache."""
    decoder = msgspec.json.Decoder(LocationHead)
    meta = Meta("x", "velero", "u", version)
    return Entry(Key("velero", "x"), meta, msgspec.json.encode(where), decoder)


def test_only_changes_that_decide_on_backups_matter() -> None:
    old = entry(location(), "1")
    assert not matters(Change(old, entry(location(), "2")))
    assert matters(Change(old, entry(location("Unavailable"), "2")))
    assert matters(Change(old, entry(location(mode="ReadOnly"), "2")))
    assert matters(Change(None, old))
    assert matters(Change(old, None))
