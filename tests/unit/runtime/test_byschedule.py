from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

from kedge.api.velero.labels import valid_name
from kedge.runtime import Cache, Key
from kedge.runtime.byschedule import BySchedule

LONG = "n" * 70


class Schedules:
    """Stands in for a cache."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)

    def entries(self) -> list[Any]:
        return [SimpleNamespace(key=Key("velero", name)) for name in self.names]


def numbers(schedules: Schedules) -> BySchedule[Counter[str]]:
    found: BySchedule[Counter[str]] = BySchedule(Counter)
    found.look_at(cast("Cache[Any]", schedules))
    return found


def test_each_schedule_that_there_is_has_numbers_from_zero_on() -> None:
    found = numbers(Schedules("b", "a"))
    found.of("a")["x"] += 1
    assert {name: counts["x"] for name, counts in found.all().items()} == {"": 0, "a": 1, "b": 0}


def test_those_of_a_schedule_that_is_gone_are_forgotten() -> None:
    schedules = Schedules("a", "b")
    found = numbers(schedules)
    found.of("a")["x"] += 1
    found.of("")["x"] += 1
    schedules.names.remove("a")
    assert {name: counts["x"] for name, counts in found.all().items()} == {"": 1, "b": 0}
    schedules.names.append("a")
    assert found.all()["a"]["x"] == 0


def test_a_label_that_stands_for_a_long_name_is_that_schedule() -> None:
    found = numbers(Schedules(LONG))
    found.of(valid_name(LONG))["x"] += 1
    found.of(LONG)["x"] += 1
    assert found.all()[LONG]["x"] == 2


def test_without_schedules_to_look_at_all_are_told() -> None:
    found: BySchedule[Counter[str]] = BySchedule(Counter)
    found.of("a")["x"] += 1
    assert set(found.all()) == {"", "a"}
