"""The tests' own oracle against the vectors: the judge is judged first."""

from datetime import datetime
from typing import Any

import pytest

from tests.cron_oracle.reading import read
from tests.cron_oracle.refused import Refused
from tests.cron_oracle.runs import next_run

Row = dict[str, Any]


@pytest.mark.slow
def test_the_oracle_gives_the_instants_of_the_original(cron_rows: list[Row]) -> None:
    wrong = []
    for row in cron_rows[::3]:
        if "error" in row or "@every" in row["expr"]:
            continue
        reading, moment = read(row["expr"], row["zone"]), datetime.fromisoformat(row["after"])
        for text in row["next"]:
            found = next_run(reading, moment)
            if found != datetime.fromisoformat(text):
                wrong.append((row["expr"], row["zone"], text, str(found)))
            moment = datetime.fromisoformat(text)
    assert wrong == []


def test_the_oracle_refuses_what_the_original_refuses(cron_rows: list[Row]) -> None:
    for row in cron_rows:
        if "error" in row:
            with pytest.raises(Refused):
                read(row["expr"], row["zone"])
