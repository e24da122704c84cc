"""What became of each object, what it leaves behind, and work that is done once."""

import asyncio
from typing import Any

import pytest

from kedge.archive.item import Place
from kedge.engine.glob import matcher
from kedge.engine.restore.ledger import Ledger, Result
from kedge.engine.restore.once import Once
from kedge.engine.restore.strip import add_labels, restore_labels, strip, take_managed


def test_results_are_listed_by_kind_and_sorted() -> None:
    ledger = Ledger()
    ledger.add("v1/Pod", Place("pods", "b", "x"), Result.CREATED)
    ledger.add("v1/Pod", Place("pods", "a", "y"), Result.FAILED)
    ledger.add("v1/Node", Place("nodes", "", "n"), Result.SKIPPED)
    assert ledger.items == 3
    assert ledger.lists() == {
        "v1/Node": ["n(skipped)"],
        "v1/Pod": ["a/y(failed)", "b/x(created)"],
    }


def test_former_life_is_left_behind() -> None:
    kept = {"name": "n", "labels": {"a": "b"}, "finalizers": ["f"], "managedFields": [{}]}
    gone = {
        "generateName": "n-",
        "selfLink": "/x",
        "uid": "u",
        "resourceVersion": "1",
        "generation": 2,
        "creationTimestamp": "t",
        "deletionTimestamp": "t",
        "deletionGracePeriodSeconds": 0,
        "ownerReferences": [{}],
        "annotations": {},
    }
    obj: dict[str, Any] = {"metadata": {**kept, **gone}, "spec": {}, "status": {"a": 1}}
    assert strip(obj) == {"status": {"a": 1}}
    assert obj == {"metadata": kept, "spec": {}}
    assert strip(obj) == {}


@pytest.mark.parametrize(
    ("managed", "expected"),
    [
        (None, []),
        ("text", []),
        ([], []),
        ([{"operation": "Update"}, 7], []),
        (
            [{"operation": "Update"}, {"operation": "Apply"}],
            [{"operation": "Update"}, {"operation": "Apply"}],
        ),
    ],
)
def test_owners_of_fields_are_kept_where_somebody_applied(managed: Any, expected: Any) -> None:
    obj = {"metadata": {"name": "n", "managedFields": managed}}
    assert take_managed(obj) == expected
    assert obj == {"metadata": {"name": "n"}}


def test_long_names_fit_into_labels() -> None:
    labels = restore_labels("r" * 80, "b")
    assert labels["velero.io/backup-name"] == "b"
    assert len(labels["velero.io/restore-name"]) == 63
    obj: dict[str, Any] = {"metadata": {}}
    add_labels(obj, labels)
    assert obj["metadata"]["labels"] == labels


@pytest.mark.asyncio
async def test_work_is_done_once_for_all_who_ask() -> None:
    once: Once[str, int] = Once()
    done: list[str] = []
    gate = asyncio.Event()

    async def work() -> int:
        done.append("x")
        await gate.wait()
        return len(done)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(once.get("k", work)) for _ in range(5)]
        gate.set()
    assert [each.result() for each in tasks] == [1] * 5
    assert await once.get("k", work) == 1


@pytest.mark.asyncio
async def test_work_that_failed_is_tried_again() -> None:
    once: Once[str, int] = Once()

    async def fail() -> int:
        raise ValueError("no")

    async def work() -> int:
        return 1

    with pytest.raises(ValueError, match="no"):
        await once.get("k", fail)
    assert await once.get("k", work) == 1


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("*", "pods", True),
        ("*", "deployments.apps", False),
        ("**", "deployments.apps", True),
        ("*.apps", "deployments.apps", True),
        ("deployments.*", "deployments.apps", True),
        ("widgets.*", "widgets.example.com", False),
        ("widgets.**", "widgets.example.com", True),
        ("{pods,services}", "services", True),
        ("pod?", "pods", True),
        ("pods?", "pods.", False),
    ],
)
def test_patterns_stop_at_a_separator(pattern: str, name: str, expected: bool) -> None:
    assert matcher(pattern, ".")(name) is expected
