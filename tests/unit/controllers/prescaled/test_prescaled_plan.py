"""What is planned for a PreScaledCronJob, and what is refused in which words."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kedge.controllers.prescaled.children import job_name, static_children
from kedge.controllers.prescaled.controller import parents_of
from kedge.controllers.prescaled.plan import Refused, Rolling, Static, occurrences, plan_of
from kedge.controllers.prescaled.runs import Occurrence
from kedge.runtime import Key
from tests.unit.controllers.prescaled.world import children, made, planned

NOON = datetime(2026, 3, 27, 12, tzinfo=UTC)
IMAGE = "example.com/kedge:1"


def refused(schedule: str, lead: int = 10, **more: Any) -> str:
    plan = plan_of(made(schedule, lead, **more))
    assert isinstance(plan, Refused)
    return f"{plan.code} {plan}"


@pytest.mark.parametrize(
    ("schedule", "more", "words"),
    [
        ("", {}, "spec.cronJob.spec.schedule: it is missing"),
        ("0 0 0 * *", {}, "spec.cronJob.spec.schedule: day of month '0'"),
        ("TZ=Mars/X 0 8 * * *", {}, "spec.cronJob.spec.schedule: zone 'Mars/X'"),
        ("0 8 * * *", {"timeZone": ""}, "spec.cronJob.spec.timeZone: '' is no time zone"),
        ("0 8 * * *", {"timeZone": "Local"}, "spec.cronJob.spec.timeZone: 'Local' is no"),
        ("TZ=UTC 0 8 * * *", {"timeZone": "UTC"}, "spec.cronJob.spec.timeZone: the schedule names"),
        ("0 8 * * *", {"primerSchedule": "  "}, "spec.primerSchedule: it is blank"),
        ("0 8 * * *", {"primerSchedule": "@every 90s"}, "spec.primerSchedule: @every needs whole"),
        ("0 8 * * *", {"lead": 10081}, "spec.warmUpTimeMins: lead '168h1m'"),
        ("0 8 * * *", {"lead": -1}, "spec.warmUpTimeMins: lead"),
    ],
)
def test_what_is_wrong_is_named_with_its_field(
    schedule: str, more: dict[str, Any], words: str
) -> None:
    assert refused(schedule, **more).startswith(f"InvalidSchedule {words}")


def test_a_name_that_is_too_long_is_refused() -> None:
    assert refused("0 8 * * *", name="a" * 45).startswith("InvalidName metadata.name: ")


@pytest.mark.parametrize(
    ("cron_job", "field"),
    [
        ({"apiVersion": "apps/v1", "spec": {}}, "spec.cronJob.apiVersion"),
        ({"kind": "Job", "spec": {}}, "spec.cronJob.kind"),
        ({}, "spec.cronJob.spec"),
    ],
)
def test_what_is_no_cron_job_is_refused(cron_job: dict[str, Any], field: str) -> None:
    obj = made("0 8 * * *")
    spec = msgspec.structs.replace(obj.spec, cron_job=cron_job)
    plan = plan_of(msgspec.structs.replace(obj, spec=spec))
    assert isinstance(plan, Refused)
    assert (plan.code, plan.field) == ("InvalidCronJob", field)


def test_a_schedule_by_hand_counts_before_the_lead() -> None:
    plan = planned(made("0 8 * * 1-5", 10, primerSchedule="15 7 * * *", timeZone="Asia/Tokyo"))
    assert isinstance(plan, Static)
    assert (plan.expressions, plan.zone, plan.lead) == (("15 7 * * *",), "Asia/Tokyo", None)
    # The start on Sunday in Tokyo is for the run on Monday.
    found = plan.next(datetime(2026, 3, 27, 23, tzinfo=UTC))
    start = datetime(2026, 3, 28, 22, 15, tzinfo=UTC)
    assert found == Occurrence(start, datetime(2026, 3, 29, 23, tzinfo=UTC))


def test_a_schedule_by_hand_may_name_its_own_zone() -> None:
    plan = planned(made("0 8 * * *", primerSchedule="CRON_TZ=Asia/Tokyo 0 1 * * *"))
    assert isinstance(plan, Static)
    assert (plan.expressions, plan.zone) == (("0 1 * * *",), "Asia/Tokyo")


def test_a_start_at_the_instant_of_a_run_is_for_that_run() -> None:
    plan = planned(made("0 8 * * *", primerSchedule="0 8 * * *"))
    start = datetime(2026, 3, 28, 8, tzinfo=UTC)
    assert plan.next(NOON) == Occurrence(start, start)


def test_an_empty_schedule_by_hand_is_none() -> None:
    assert planned(made("0 8 * * *", primerSchedule="")).lead == timedelta(minutes=10)


def test_every_is_counted_from_the_minute_of_the_creation() -> None:
    plan = planned(made("@every 90m", created="2026-03-27T10:07:59Z"))
    assert plan.runs.next(NOON) == datetime(2026, 3, 27, 13, 7, tzinfo=UTC)
    assert plan.runs.last(NOON) == datetime(2026, 3, 27, 11, 37, tzinfo=UTC)
    first = datetime(2026, 3, 27, 10, 7, tzinfo=UTC)
    assert plan.runs.last(first) is None
    assert plan.runs.next(first - timedelta(days=9)) == first + timedelta(minutes=90)
    assert plan.runs.matches(datetime(2026, 3, 27, 13, 7, tzinfo=UTC))
    assert not plan.runs.matches(NOON)


def test_the_starts_of_a_week() -> None:
    plan = planned(made("0 8 * * 1-5", timeZone="Europe/Amsterdam"))
    found = list(occurrences(plan, NOON, NOON + timedelta(days=7)))
    assert [one.warm_up.isoformat()[5:16] for one in found] == [
        "03-30T05:50",
        "03-31T05:50",
        "04-01T05:50",
        "04-02T05:50",
        "04-03T05:50",
    ]
    assert {one.run - one.warm_up for one in found} == {timedelta(minutes=10)}


def test_several_expressions_need_names_that_fit() -> None:
    fits = planned(made("0-15 0 * * *", name="a" * 42))
    assert isinstance(fits, Static)
    assert len(static_children(made("0-15 0 * * *", name="a" * 42), fits, IMAGE)) == 2
    assert isinstance(planned(made("0-15 0 * * *", name="a" * 43)), Rolling)


def test_the_hash_follows_from_what_is_made_and_from_nothing_else() -> None:
    def hash_of(image: str = IMAGE, **more: Any) -> str:
        obj = made("0 8 * * *", **more)
        [child] = children(obj, NOON, image)
        text: str = child["metadata"]["annotations"]["pscObjectHash"]
        return text

    assert hash_of() == hash_of()
    others = [
        hash_of(image="other"),
        hash_of(lead=11),
        hash_of(suspend=True),
        hash_of(timeZone="Asia/Tokyo"),
        hash_of(jobTemplate={"spec": {"backoffLimit": 1}}),
    ]
    assert len({hash_of(), *others}) == 6


@pytest.mark.parametrize("user", [None, 0, 1000])
def test_the_container_is_confined_but_does_not_stand_in_the_way_of_root(user: int | None) -> None:
    context = {} if user is None else {"securityContext": {"runAsUser": user}}
    work = {"spec": {"template": {"spec": context}}}
    obj = made("0 8 * * *", jobTemplate=work)
    [child] = children(obj, NOON)
    pod = child["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    confined = pod["initContainers"][0]["securityContext"]
    assert confined.get("runAsNonRoot", False) is (user != 0)
    assert obj.spec.cron_job["spec"]["jobTemplate"] == work, "what was given is not changed"


def test_a_job_has_the_name_that_the_cron_job_controller_gives_it() -> None:
    assert job_name("autogen-report", datetime(2026, 3, 27, 11, 45, tzinfo=UTC)) == (
        "autogen-report-29576865"
    )


def test_a_cron_job_may_be_that_of_two_objects() -> None:
    assert list(parents_of("ns", "autogen-a")) == [Key("ns", "a")]
    assert list(parents_of("ns", "autogen-a-2")) == [Key("ns", "a-2"), Key("ns", "a")]
    assert list(parents_of("ns", "autogen-2")) == [Key("ns", "2")]
