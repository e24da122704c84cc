"""Conditions and phases: in their order, and never back."""

from itertools import product

import pytest

from kedge.api.nonadmin.stage import PHASES
from kedge.kube.kind import Object
from kedge.selfservice.conditions import ConditionType, Saying, later, with_conditions
from kedge.selfservice.ending import ending, failed, lasting, mended

EARLY, LATE = "2030-01-01T00:00:00Z", "2030-01-01T01:00:00Z"


def saying(kind: ConditionType, status: str = "True", message: str = "why") -> Saying:
    return Saying(kind, status, "Reason", message)


@pytest.mark.parametrize(("old", "new"), list(product(("", *PHASES), PHASES)))
def test_a_phase_never_goes_back(old: str, new: str) -> None:
    order = ("", *PHASES)
    assert order.index(later(old, new)) == max(order.index(old), order.index(new))


def test_a_time_moves_with_the_status_only() -> None:
    first = with_conditions(None, [saying(ConditionType.ACCEPTED)], 1, EARLY)
    again = with_conditions(first, [saying(ConditionType.ACCEPTED, message="new")], 2, LATE)
    assert again == [
        {
            "type": "Accepted",
            "status": "True",
            "reason": "Reason",
            "message": "new",
            "observedGeneration": 2,
            "lastTransitionTime": EARLY,
        }
    ]
    flipped = with_conditions(again, [saying(ConditionType.ACCEPTED, "False")], 2, LATE)
    assert flipped[0]["lastTransitionTime"] == LATE


def test_they_are_listed_in_one_order_whatever_came_first() -> None:
    found: list[Object] = []
    for kind in reversed(ConditionType):
        found = with_conditions(found, [saying(kind)], 1, EARLY)
    assert [one["type"] for one in found] == [
        "Accepted",
        "Queued",
        "Deleting",
        "Succeeded",
        "Failed",
    ]


def test_a_condition_of_somebody_else_stays_where_it_is() -> None:
    found = with_conditions([{"type": "Odd"}], [saying(ConditionType.FAILED)], 1, EARLY)
    found = with_conditions(found, [saying(ConditionType.QUEUED)], 1, EARLY)
    assert [one["type"] for one in found] == ["Odd", "Queued", "Failed"]


def test_what_was_given_is_not_changed() -> None:
    old: list[Object] = [{"type": "Accepted", "status": "True"}]
    with_conditions(old, [saying(ConditionType.ACCEPTED, "False")], 1, EARLY)
    assert old == [{"type": "Accepted", "status": "True"}]


def test_a_message_fits() -> None:
    [one] = with_conditions(None, [saying(ConditionType.FAILED, message="x" * 40000)], 1, EARLY)
    assert len(one["message"]) == 32768


@pytest.mark.parametrize(
    ("status", "expected", "words"),
    [
        ({}, "", ""),
        ({"phase": "InProgress"}, "", ""),
        ({"phase": "Deleting"}, "", ""),
        ({"phase": "Completed"}, "Succeeded/BackupCompleted", "the backup is completed"),
        (
            {"phase": "Completed", "warnings": 2},
            "Succeeded/BackupCompleted",
            "the backup is completed: 2 warnings",
        ),
        ({"phase": "Failed"}, "Failed/BackupFailed", "the backup has failed"),
        (
            {"phase": "PartiallyFailed", "errors": 3},
            "Failed/BackupPartiallyFailed",
            "the backup has failed in part: 3 errors",
        ),
        (
            {"phase": "FailedValidation", "validationErrors": ["a", "b"]},
            "Failed/BackupFailedValidation",
            "the backup was refused: a; b",
        ),
    ],
)
def test_an_end_is_told(status: Object, expected: str, words: str) -> None:
    found = ending("Backup", status, None)
    assert "".join(f"{one.type}/{one.reason}" for one in found) == expected
    assert "".join(one.message for one in found) == words


def test_a_long_reason_is_cut() -> None:
    [one] = ending("Restore", {"phase": "Failed", "failureReason": "x" * 9999}, None)
    assert len(one.message) < 300


def test_what_failed_and_was_mended_has_not_failed() -> None:
    old = with_conditions(None, [failed("Bad", "bad")], 1, EARLY)
    assert [one.status for one in mended("Good", "good", old)] == ["False"]
    assert mended("Good", "good", None) == []
    assert [one.type for one in ending("Backup", {"phase": "Completed"}, old)] == [
        "Succeeded",
        "Failed",
    ]


@pytest.mark.parametrize("phase", ["Failed", "PartiallyFailed", "FailedValidation"])
def test_what_failed_after_all_has_not_succeeded(phase: str) -> None:
    done = with_conditions(None, ending("Backup", {"phase": "Completed"}, None), 1, EARLY)
    told = ending("Backup", {"phase": phase}, done)
    found = with_conditions(done, told, 1, LATE)
    assert [(one["type"], one["status"]) for one in found] == [
        ("Succeeded", "False"),
        ("Failed", "True"),
    ]
    assert {one["reason"] for one in found} == {f"Backup{phase}"}


def test_what_was_made_and_how_it_ended_is_said_again_of_a_later_generation() -> None:
    kinds = (ConditionType.ACCEPTED, ConditionType.QUEUED, ConditionType.SUCCEEDED)
    old = with_conditions(None, [saying(kind) for kind in kinds], 1, EARLY)
    found = with_conditions(old, lasting(old), 2, LATE)
    assert {one["type"]: one["observedGeneration"] for one in found} == {
        "Accepted": 1,
        "Queued": 2,
        "Succeeded": 2,
    }
    assert {one["lastTransitionTime"] for one in found} == {EARLY}
    assert lasting(None) == []


@pytest.mark.parametrize("phase", ["Completed", "Failed"])
def test_how_a_backup_ended_goes_on_to_hold_while_it_is_deleted(phase: str) -> None:
    old = with_conditions(None, ending("Backup", {"phase": phase}, None), 1, EARLY)
    found = with_conditions(old, ending("Backup", {"phase": "Deleting"}, old), 2, LATE)
    assert found == [{**old[0], "observedGeneration": 2}]
