"""What is done for a Restore follows from what it is."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kedge.api.velero.backup import Backup
from kedge.controllers.restore.decide import (
    Source,
    Step,
    failed,
    finished,
    newest_completed,
    next_step,
    prepare,
    refuse,
)
from kedge.controllers.restore.heads import RestoreHead
from kedge.engine.restore.validate import NON_RESTORABLE

FINALIZER = "restores.velero.io/external-resources-finalizer"
NOW = datetime(2030, 1, 2, 3, 4, 5, 678, UTC)
FOUR_HOURS = timedelta(hours=4)


def head(phase: str | None = None, **metadata: Any) -> RestoreHead:
    status = None if phase is None else {"phase": phase}
    return msgspec.convert({"metadata": metadata, "status": status}, RestoreHead)


@pytest.mark.parametrize(
    ("phase", "step"),
    [
        (None, Step.BEGIN),
        ("", Step.BEGIN),
        ("New", Step.BEGIN),
        ("InProgress", Step.GIVE_UP),
        ("Finalizing", Step.FINISH),
        ("FinalizingPartiallyFailed", Step.FINISH),
        ("WaitingForPluginOperations", Step.NOTHING),
        ("WaitingForPluginOperationsPartiallyFailed", Step.NOTHING),
        ("Completed", Step.NOTHING),
        ("PartiallyFailed", Step.NOTHING),
        ("Failed", Step.NOTHING),
        ("FailedValidation", Step.NOTHING),
        ("SomethingNew", Step.NOTHING),
    ],
)
def test_each_phase_has_its_step(phase: str | None, step: Step) -> None:
    assert next_step(head(phase, finalizers=[FINALIZER])) is step
    assert next_step(head(phase)) is Step.ADOPT
    assert next_step(head(phase, finalizers=["other"])) is Step.ADOPT
    gone = {"deletionTimestamp": "2030-01-01T00:00:00Z"}
    assert next_step(head(phase, finalizers=[FINALIZER, "other"], **gone)) is Step.REMOVE
    assert next_step(head(phase, finalizers=["other"], **gone)) is Step.NOTHING


def backup(name: str, phase: str, started: str | None) -> Backup:
    return msgspec.convert(
        {"metadata": {"name": name}, "status": {"phase": phase, "startTimestamp": started}}, Backup
    )


def test_the_newest_completed_backup_is_found() -> None:
    found = [
        backup("a", "Completed", "2030-01-01T00:00:00Z"),
        backup("c", "Completed", "2030-01-03T00:00:00Z"),
        backup("b", "Completed", "2030-01-02T00:00:00Z"),
        backup("d", "PartiallyFailed", "2030-01-04T00:00:00Z"),
        backup("e", "InProgress", None),
        backup("f", "Completed", None),
    ]
    assert newest_completed(found) == "c"
    assert newest_completed(found[3:]) == "f"
    assert newest_completed(found[3:5]) == ""
    assert newest_completed([]) == ""


def test_a_good_restore_begins_and_what_was_open_is_filled_in() -> None:
    spec = {"scheduleName": "s", "excludedResources": ["events", "pods"]}
    source = Source(backup_name="b", schedule_name="s")
    prepared = prepare(spec, [], source, FOUR_HOURS, NOW)
    assert prepared.status == {"phase": "InProgress", "startTimestamp": "2030-01-02T03:04:05Z"}
    assert prepared.problems == ()
    excluded = ["events", "pods", *(name for name in NON_RESTORABLE if name != "events")]
    assert prepared.change == {
        "spec": {
            "backupName": "b",
            "excludedResources": excluded,
            "itemOperationTimeout": "4h0m0s",
        }
    }


def test_what_is_there_is_not_written_again() -> None:
    spec = {
        "backupName": "b",
        "excludedResources": list(NON_RESTORABLE),
        "itemOperationTimeout": "1h0m0s",
    }
    assert prepare(spec, [], Source(backup_name="b"), FOUR_HOURS, NOW).change == {}


@pytest.mark.parametrize("given", [None, "", "0s", "0"])
def test_no_timeout_is_the_default(given: str | None) -> None:
    change = prepare({"itemOperationTimeout": given}, [], Source(), FOUR_HOURS, NOW).change
    assert change["spec"]["itemOperationTimeout"] == "4h0m0s"


def test_all_that_is_wrong_is_told_in_order() -> None:
    source = Source(problems=("third",))
    spec = {"itemOperationTimeout": "soon"}
    prepared = prepare(spec, ["first", "second"], source, FOUR_HOURS, NOW)
    last = 'Invalid itemOperationTimeout: time: invalid duration "soon"'
    assert prepared.problems == ("first", "second", "third", last)
    assert prepared.status == {
        "phase": "FailedValidation",
        "validationErrors": ["first", "second", "third", last],
    }


def test_a_spec_that_can_not_be_read_is_left_as_it_is() -> None:
    assert refuse(["no"]).change == {}
    assert refuse(["no"]).problems == ("no",)


@pytest.mark.parametrize(
    ("before", "after"),
    [("Finalizing", "Completed"), ("FinalizingPartiallyFailed", "PartiallyFailed")],
)
def test_what_is_finalizing_ends_as_it_went(before: str, after: str) -> None:
    ended = {"phase": after, "completionTimestamp": "2030-01-02T03:04:05Z"}
    assert finished({"phase": before}, NOW) == ended


def test_a_failure_has_its_reason() -> None:
    assert failed("no ink", NOW) == {
        "phase": "Failed",
        "failureReason": "no ink",
        "completionTimestamp": "2030-01-02T03:04:05Z",
    }
