"""Rows of pods: what they say beside their cells."""

import json
from pathlib import Path
from typing import Any

import pytest

from kedge.apiserver.printers.pods import pod_conditions

LINES = (Path(__file__).parent / "data" / "pods.jsonl").read_text().splitlines()
ENTRIES: list[dict[str, Any]] = [json.loads(line) for line in LINES if '"/v1/Pod"' in line]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["case"])
def test_conditions_of_a_row_are_those_of_a_real_server(entry: dict[str, Any]) -> None:
    assert pod_conditions(entry["object"]) == entry.get("conditions", [])
