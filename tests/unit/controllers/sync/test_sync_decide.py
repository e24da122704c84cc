"""When a location is synced, what it brings, and what has lost its files."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kedge.api.velero.storage_location import BackupStorageLocation
from kedge.controllers.sync.decide import Due, Wait, last_sync, orphans, plan, wanted
from kedge.controllers.sync.heads import BackupHead

NOW = datetime(2030, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def location(phase: str = "Available", period: str | None = None, **status: Any) -> Any:
    """Make a location."""
    parts = {"spec": {"backupSyncPeriod": period}, "status": {"phase": phase, **status}}
    return msgspec.convert(parts, BackupStorageLocation)


@pytest.mark.parametrize(
    ("where", "last", "becomes"),
    [
        (location(), None, Due(MINUTE)),
        (location(), NOW - MINUTE, Due(MINUTE)),
        (location(), NOW, Wait(NOW + MINUTE)),
        (location(period="5m"), NOW - MINUTE, Wait(NOW + 4 * MINUTE)),
        (location(period="0s"), None, Wait(None)),
        (location(period="-1m"), None, Due(MINUTE)),
        (location(period="nonsense"), None, Due(MINUTE)),
        (location("Unavailable"), None, Wait(None)),
        (location(""), None, Wait(None)),
        (location(period="9000h"), datetime(9999, 12, 1, tzinfo=UTC), Wait(None)),
    ],
)
def test_a_sync_is_due(where: Any, last: datetime | None, becomes: object) -> None:
    assert plan(where, last, MINUTE, NOW) == becomes


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (None, None),
        ("nonsense", None),
        ("2030-01-01T00:00:00Z", NOW),
        ("2030-01-01T00:00:01Z", None),
    ],
)
def test_what_says_to_be_of_the_future_tells_nothing(
    text: str | None, known: datetime | None
) -> None:
    assert last_sync(location(lastSyncedTime=text), NOW) == known


def backup(name: str, phase: str = "", mark: str = "", label: str = "") -> BackupHead:
    """Make a Backup of the cluster."""
    meta: dict[str, Any] = {"name": name}
    if mark:
        meta["annotations"] = {"kedge.dev/synced-from": mark}
    if label:
        meta["labels"] = {"velero.io/storage-location": label}
    return msgspec.convert({"metadata": meta, "status": {"phase": phase}}, BackupHead)


def test_what_the_cluster_has_not_or_not_wholly_is_wanted() -> None:
    known = {
        one.metadata.name: one
        for one in (
            backup("there", "Completed"),
            backup("new"),
            backup("half", mark="default/half"),
            backup("half-other", mark="other/half-other"),
            backup("clone", mark="default/half"),
            backup("whole", "Completed", mark="default/whole"),
        )
    }
    assert wanted([*known, "missing"], known, "default") == ["half", "missing"]


def test_orphans_are_those_that_ended_here_and_have_no_files() -> None:
    known = [
        backup("a", "Completed", label="default"),
        backup("b", "PartiallyFailed", label="default"),
        backup("c", "Failed", label="default"),
        backup("d", "Completed", label="other"),
        backup("e", "Completed"),
        backup("f", "", mark="default/f"),
        backup("g", "", mark="other/g"),
        backup("h", "Completed", label="default"),
        backup("i", "", label="default"),
    ]
    assert [one.metadata.name for one in orphans(known, {"h"}, "default")] == ["a", "b", "f"]


def test_a_backup_without_a_status_or_annotations_is_no_half_one() -> None:
    bare = msgspec.convert({"metadata": {"name": "x"}}, BackupHead)
    assert not bare.is_half
    assert bare.source == ""
