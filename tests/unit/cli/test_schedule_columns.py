"""Values of objects as the table shows them."""

from typing import Any

import pytest

from kedge.cli.objects import distance_text, duration_text, selector_text, time_text
from kedge.cli.schedule.columns import COLUMNS
from tests.unit.cli.conftest import NOW


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (None, "n/a"),
        ("", "n/a"),
        ("nonsense", "n/a"),
        ("2026-03-27T12:00:00Z", "0s ago"),
        ("2026-03-27T11:59:15Z", "45s ago"),
        ("2026-03-27T09:00:00Z", "3h ago"),
        ("2026-03-27T10:00:00+01:00", "3h ago"),
        ("2026-04-25T12:00:00Z", "29d"),
    ],
)
def test_a_time_is_told_by_its_distance(text: str | None, shown: str) -> None:
    assert distance_text(text, NOW) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-03-27T12:00:00Z", "2026-03-27 12:00:00 +0000 UTC"),
        ("2026-03-27T13:00:00+01:00", "2026-03-27 12:00:00 +0000 UTC"),
        (None, "<never>"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_time_is_written_as_go_prints_it(text: str | None, shown: str) -> None:
    assert time_text(text, "<never>") == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("", "0s"), ("720h", "720h0m0s"), ("90m", "1h30m0s"), ("x", "x")]
)
def test_a_duration_is_written_as_go_prints_it(text: str, shown: str) -> None:
    assert duration_text(text) == shown


@pytest.mark.parametrize(
    ("selector", "shown"),
    [
        (None, "<none>"),
        ({}, "<none>"),
        ({"matchLabels": {"b": "c", "a": "d"}}, "a=d,b=c"),
        ({"matchExpressions": [{"key": "a", "operator": "Odd"}]}, "<error>"),
    ],
)
def test_a_selector_is_written_as_kubectl_prints_it(selector: Any, shown: str) -> None:
    assert selector_text(selector) == shown


@pytest.mark.parametrize(
    "schedule",
    [{}, {"metadata": None, "spec": None, "status": None}, {"spec": {"template": None}}],
)
def test_an_object_of_which_parts_are_missing_has_a_row_all_the_same(schedule: Any) -> None:
    cells = [column.cell(schedule, NOW) for column in COLUMNS]
    assert cells == ["", "New", "<unknown>", "", "0s", "n/a", "<none>", "false"]
