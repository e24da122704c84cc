"""What a user said of the work holds for the work, and not for the wait before it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from kedge.kube.kind import Object
from tests.unit.controllers.prescaled.world import children, made

NOON = datetime(2026, 3, 27, 12, tzinfo=UTC)


def child_of(given: Any, lead: int = 10, schedule: str = "0 8 * * *", **more: Any) -> Object:
    """Make the CronJob of a job, and a pod, that must end in time."""
    pod = {"spec": {"activeDeadlineSeconds": given}}
    work = {"spec": {"activeDeadlineSeconds": given, "template": pod}}
    obj = made(schedule, lead, jobTemplate=work, **more)
    [child] = children(obj, NOON)
    assert obj.spec.cron_job["spec"]["jobTemplate"] == work, "what was given is not changed"
    return child


def deadlines(child: Object) -> list[Any]:
    job = child["spec"]["jobTemplate"]["spec"]
    return [each["activeDeadlineSeconds"] for each in (job, job["template"]["spec"])]


@pytest.mark.parametrize("schedule", ["0 8 * * *", "0 0 1 * *"])
def test_the_wait_does_not_count_for_the_deadline_of_the_work(schedule: str) -> None:
    assert deadlines(child_of(60, lead=10, schedule=schedule)) == [660, 660]
    assert deadlines(child_of(60, lead=0, schedule=schedule)) == [60, 60]


def test_a_pod_takes_no_longer_deadline_than_this() -> None:
    most = 2**31 - 1
    assert deadlines(child_of(most - 5)) == [most, most]
    assert deadlines(child_of(most + 5)) == [most + 5, most + 5]


@pytest.mark.parametrize("wrong", [-1, 0, "60", True])
def test_what_is_no_deadline_is_for_the_server_to_refuse(wrong: Any) -> None:
    assert deadlines(child_of(wrong)) == [wrong, wrong]


def test_where_the_starts_are_given_by_hand_nobody_knows_the_wait() -> None:
    assert deadlines(child_of(60, primerSchedule="30 7 * * *")) == [60, 60]


def test_marks_of_another_cron_job_are_not_passed_on() -> None:
    """Whoever takes the template from a CronJob of ours would pass on how far that one was."""
    obj = made("0 8 * * *")
    marks = ("pscObjectHash", "kedge.dev/served-until", "kedge.dev/runs", "kedge.dev/started")
    obj.spec.cron_job["metadata"] = {"annotations": {**dict.fromkeys(marks, "x"), "mine": "y"}}
    [child] = children(obj, NOON)
    found = child["metadata"]["annotations"]
    assert (sorted(found), found["pscObjectHash"] != "x") == (["mine", "pscObjectHash"], True)
