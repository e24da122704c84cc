"""Cases that other programs have judged."""

import json
from pathlib import Path
from typing import Any

import pytest

Row = dict[str, Any]
# The rule of docs/reference/cron.md wins over one row: in Lord Howe the original loses the midnight
# behind the change of 1 October 2028 (00:00+11 on 2 October is 13:00 UTC), and the row with it.
CORRECTED = {
    ("TZ=Australia/Lord_Howe @daily", "2028-09-27T22:27:48Z"): [
        "2028-09-28T13:30:00Z",
        "2028-09-29T13:30:00Z",
        "2028-09-30T13:30:00Z",
        "2028-10-01T13:00:00Z",
        "2028-10-02T13:00:00Z",
    ]
}


@pytest.fixture(scope="session")
def cron_rows() -> list[Row]:
    """All rows of data/cron.jsonl."""
    text = (Path(__file__).parent / "data" / "cron.jsonl").read_text(encoding="utf-8")
    rows: list[Row] = [json.loads(line) for line in text.splitlines()]
    for row in rows:
        row["next"] = CORRECTED.get((row["expr"], row["after"]), row.get("next"))
    return rows
