"""How the Backups of a Schedule are named, made, and told apart."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from kedge.controllers.schedule.children import (
    BackupHead,
    BackupMeta,
    BackupStatus,
    Marks,
    backup_for,
    backup_name,
    child_of,
    from_schedule,
    is_run_of,
)
from kedge.controllers.schedule.decide import Child

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def schedule(**spec: Any) -> dict[str, Any]:
    metadata = {"name": "nightly", "namespace": "velero", "uid": "u1"}
    return {"metadata": metadata, "spec": {"schedule": "@hourly", "template": {}, **spec}}


def test_a_backup_is_named_after_its_schedule_and_its_instant_in_utc() -> None:
    assert backup_name("nightly", NOON) == "nightly-20260601120000"
    vienna = NOON.astimezone(timezone(timedelta(hours=2)))
    assert backup_name("nightly", vienna) == "nightly-20260601120000"
    assert backup_name("nightly", NOON, 3) == "nightly-20260601120000-3"


@pytest.mark.parametrize("number", [0, 1, 9])
@pytest.mark.parametrize("filling", ["ab", "a-", "a."])
def test_names_of_any_length_are_names(number: int, filling: str) -> None:
    for length in range(200, 254):
        name = (filling * 127)[: length - 1] + "z"
        made = backup_name(name, NOON, number)
        assert len(made) <= 253
        assert SUBDOMAIN.fullmatch(made)
        other = backup_name(name[:-1] + "y", NOON, number)
        assert made != other


def test_the_template_is_not_shared_with_the_backup() -> None:
    policy = {"kind": "ConfigMap", "name": "p", "apiGroup": "v1"}
    origin = schedule(template={"resourcePolicy": policy})
    backup_for(origin, NOON)["metadata"]["annotations"]["x"] = "y"
    assert origin["spec"]["template"] == {"resourcePolicy": policy}
    assert "annotations" not in origin["metadata"]


def test_a_manual_run_has_the_name_it_is_given_and_no_mark() -> None:
    backup = from_schedule(schedule(), "by-hand")
    assert backup["metadata"]["name"] == "by-hand"
    assert "kedge.dev/due" not in backup["metadata"]["annotations"]


@pytest.mark.parametrize("wish", [None, False])
def test_without_the_wish_there_is_no_owner(wish: bool | None) -> None:
    backup = backup_for(schedule(useOwnerReferencesInBackup=wish), NOON)
    assert "ownerReferences" not in backup["metadata"]


def head(due: str = "", phase: str | None = None) -> BackupHead:
    status = BackupStatus(phase) if phase is not None else None
    meta = BackupMeta("b", "velero", "2026-06-01T12:00:01Z", Marks(due) if due else None)
    return BackupHead(meta, status)


@pytest.mark.parametrize(
    ("due", "known"),
    [
        pytest.param("2026-06-01T12:00:00Z", NOON, id="marked"),
        pytest.param("", None, id="by hand"),
        pytest.param("noon", None, id="marked by hand with nonsense"),
    ],
)
def test_the_mark_is_the_instant(due: str, known: datetime | None) -> None:
    made = NOON + timedelta(seconds=1)
    assert child_of(head(due)) == Child("b", made, is_finished=False, due=known)


def test_a_backup_without_a_status_is_not_finished() -> None:
    assert not child_of(head()).is_finished
    assert not child_of(head(phase="")).is_finished
    assert child_of(head(phase="Completed")).is_finished


@pytest.mark.parametrize(
    ("change", "is_ours"),
    [
        pytest.param({}, True, id="as it was made"),
        pytest.param({"labels": {}}, False, id="without the label"),
        pytest.param({"labels": {"velero.io/schedule-name": "other"}}, False, id="of another"),
        pytest.param({"annotations": None}, False, id="without the mark"),
        pytest.param({"annotations": {"kedge.dev/due": "x"}}, False, id="with another mark"),
        pytest.param({"creationTimestamp": "2026-06-01T11:58:00Z"}, True, id="clocks differ"),
        pytest.param({"creationTimestamp": "2026-05-31T12:00:00Z"}, False, id="made long before"),
        pytest.param({"creationTimestamp": "2026-06-03T12:00:00Z"}, True, id="made late"),
    ],
)
def test_whether_a_backup_is_the_run_of_an_instant(change: dict[str, Any], is_ours: bool) -> None:
    backup = backup_for(schedule(), NOON)
    backup["metadata"] |= {"creationTimestamp": "2026-06-01T12:00:00Z", **change}
    assert is_run_of(backup, "nightly", NOON) == is_ours
