"""What a PreScaledCronJob says is next: only what takes place."""

from datetime import datetime

from kedge.api.prescaled.kind import Mode
from kedge.controllers.prescaled.status import Coming, coming_of
from kedge.kube.times import parse_time
from tests.unit.controllers.prescaled.world import made, planned

CREATED = "2026-01-01T11:55:00Z"


def at(text: str) -> datetime:
    """Read a time of the first day."""
    return parse_time(f"2026-01-01T{text}:00Z")


def test_a_run_whose_start_was_before_the_object_is_not_announced() -> None:
    obj = made("0 * * * *", 10, CREATED)
    assert coming_of(obj, planned(obj), at("11:56")) == Coming(at("12:50"), at("13:00"))


def test_nor_is_it_where_no_expression_says_the_starts() -> None:
    obj = made("0 0 1 * *", 10, "2026-01-31T23:55:00Z")
    plan = planned(obj)
    assert plan.mode is Mode.ROLLING
    found = coming_of(obj, plan, parse_time("2026-01-31T23:56:00Z"))
    assert found.run == parse_time("2026-03-01T00:00:00Z")


def test_a_run_that_was_started_for_is_announced_while_the_next_start_is_after_it() -> None:
    obj = made("0 * * * *", 10, CREATED)
    assert coming_of(obj, planned(obj), at("12:51")) == Coming(at("13:50"), at("13:00"))


def test_by_hand_a_run_without_a_start_is_not_announced() -> None:
    obj = made("0 * * * *", 0, CREATED, primerSchedule="50 */2 * * *")
    plan = planned(obj)
    assert coming_of(obj, plan, at("11:56")) == Coming(at("12:50"), at("13:00"))
    assert coming_of(obj, plan, at("12:55")) == Coming(at("14:50"), at("13:00"))
    assert coming_of(obj, plan, at("13:00")) == Coming(at("14:50"), at("15:00"))


def test_by_hand_a_start_before_the_object_was_none() -> None:
    obj = made("0 * * * *", 0, CREATED, primerSchedule="50 * * * *")
    assert coming_of(obj, planned(obj), at("11:56")) == Coming(at("12:50"), at("13:00"))
