"""What becomes of a DeleteBackupRequest, and of its Backup."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kedge.api.velero.delete_request import DeleteBackupRequest
from kedge.api.velero.storage_location import BackupStorageLocation
from kedge.controllers.deletion.decide import (
    Act,
    Clean,
    Refuse,
    Remove,
    Wait,
    decide,
    is_for,
    labels_for,
    objection,
    owns_files,
)

NOW = datetime(2030, 1, 2, tzinfo=UTC)


def request(
    name: str = "go",
    phase: str = "",
    created: str = "2030-01-01T12:00:00Z",
    errors: list[str] | None = None,
    **more: Any,
) -> DeleteBackupRequest:
    """Make a request."""
    meta = {"name": name, "creationTimestamp": created, "labels": more.get("labels")}
    spec = {"backupName": more.get("of", "nightly")}
    status = {"phase": phase, "errors": errors}
    return msgspec.convert({"metadata": meta, "spec": spec, "status": status}, DeleteBackupRequest)


@pytest.mark.parametrize(
    ("one", "becomes"),
    [
        (request(), Act(is_resumed=False)),
        (request(phase="New"), Act(is_resumed=False)),
        (request(phase="InProgress"), Act(is_resumed=True)),
        (request(phase="InProgress", created="2020-01-01T00:00:00Z"), Act(is_resumed=True)),
        (request(of=""), Refuse("spec.backupName is required")),
        (request(phase="Processed"), Clean()),
        (request(phase="Processed", errors=[]), Clean()),
        (
            request(phase="Processed", errors=["x"]),
            Wait(datetime(2030, 1, 2, 12, tzinfo=UTC)),
        ),
        (
            request(phase="Processed", errors=["x"], created="2030-01-01T00:00:00Z"),
            Remove(),
        ),
        (
            request(phase="Processed", errors=["x"], created="2030-01-01T00:00:01Z"),
            Wait(NOW + timedelta(seconds=1)),
        ),
    ],
)
def test_a_request_by_itself(one: DeleteBackupRequest, becomes: object) -> None:
    assert decide(one, [], NOW) == becomes


def test_of_several_the_one_that_was_begun_goes_first_and_then_the_oldest() -> None:
    old = request("z", created="2030-01-01T00:00:00Z")
    new = request("a", created="2030-01-01T06:00:00Z")
    begun = request("m", phase="InProgress", created="2030-01-01T07:00:00Z")
    over = request("o", phase="Processed", errors=["x"], created="2029-01-01T00:00:00Z")
    assert decide(old, [new, over], NOW) == Act(is_resumed=False)
    assert decide(new, [old, over], NOW) == Wait(None)
    assert decide(old, [new, begun], NOW) == Wait(None)
    assert decide(begun, [old, new], NOW) == Act(is_resumed=True)
    twin = request("b", created="2030-01-01T06:00:00Z")
    assert decide(new, [twin], NOW) == Act(is_resumed=False)
    assert decide(twin, [new], NOW) == Wait(None)


def location(phase: str = "Available", mode: str = "") -> BackupStorageLocation:
    """Make a location."""
    parts = {"spec": {"accessMode": mode}, "status": {"phase": phase}}
    return msgspec.convert(parts, BackupStorageLocation)


@pytest.mark.parametrize(
    ("phase", "there", "told"),
    [
        ("Completed", location(), ""),
        ("", location(mode="ReadWrite"), ""),
        ("Queued", location(), ""),
        ("InProgress", None, "backup is still in progress"),
        ("Completed", None, "backup storage location x not found"),
        ("Completed", location("Unavailable", "ReadOnly"), "read-only mode"),
        ("Completed", location("Unavailable"), "Unavailable state"),
        ("Completed", location(""), "Unavailable state"),
    ],
)
def test_what_speaks_against_a_deletion(
    phase: str, there: BackupStorageLocation | None, told: str
) -> None:
    found = objection(phase, there, "x")
    assert found.endswith(told)
    assert bool(found) == bool(told)


START = "2029-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("phase", "started", "metadata", "is_own"),
    [
        ("Completed", "", {"status": {"startTimestamp": START}}, True),
        ("Deleting", "", {"status": {"startTimestamp": START}}, True),
        ("FailedValidation", "", {"status": {"startTimestamp": START}}, False),
        ("Failed", START, {"status": {"startTimestamp": START}}, True),
        ("Failed", START, {"status": {"startTimestamp": "2029-01-01T01:00:00+01:00"}}, True),
        ("Failed", START, {"status": {"startTimestamp": "2029-01-01T00:00:01Z"}}, False),
        ("New", "", {"status": {}}, True),
        ("New", "", {}, True),
        ("New", "", None, True),
        ("New", "", {"status": "nonsense"}, True),
        ("New", "", {"status": {"startTimestamp": 5}}, True),
    ],
)
def test_whose_the_files_are(
    phase: str, started: str, metadata: dict[str, Any] | None, is_own: bool
) -> None:
    assert owns_files(phase, started, metadata) is is_own


def test_labels_are_put_right() -> None:
    wanted = {"velero.io/backup-name": "nightly", "velero.io/backup-uid": "u"}
    assert labels_for(request(), "u", "nightly") == wanted
    assert labels_for(request(labels=wanted), "u", "nightly") == {}
    stale = {**wanted, "velero.io/backup-uid": "old"}
    assert labels_for(request(labels=stale), "u", "nightly") == {"velero.io/backup-uid": "u"}


def test_requests_for_the_same_backup_are_known_by_both_labels() -> None:
    one = request(labels={"velero.io/backup-name": "n", "velero.io/backup-uid": "u"})
    assert is_for(request(labels={**(one.metadata.labels or {}), "more": "x"}), one)
    assert not is_for(request(labels={"velero.io/backup-name": "n"}), one)
    assert not is_for(request(), one)
    assert not is_for(request(), request())
