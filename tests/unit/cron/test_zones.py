"""Where the zone of a schedule comes from."""

import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from kedge.cron import parse

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_utc_is_the_zone_of_a_schedule_that_names_none() -> None:
    assert parse("0 0 * * *").zone == "UTC"
    assert parse("0 0 * * *").next(NOON) == datetime(2026, 6, 2, tzinfo=UTC)


@pytest.mark.parametrize("prefix", ["TZ=Asia/Tokyo", "CRON_TZ=Asia/Tokyo"])
@pytest.mark.parametrize("text", ["0 0 * * *", "@daily", "  0 0 * * *  "])
def test_a_prefix_wins_over_the_zone_of_the_caller(prefix: str, text: str) -> None:
    schedule = parse(f"{prefix} {text}", zone="Europe/Amsterdam")
    assert schedule.zone == "Asia/Tokyo"
    assert schedule.next(NOON) == datetime(2026, 6, 1, 15, tzinfo=UTC)


def test_an_empty_prefix_is_utc() -> None:
    assert parse("TZ= 0 0 * * *", zone="Asia/Tokyo").zone == "UTC"


def test_zone_data_comes_with_the_package() -> None:
    """A slim container has no /usr/share/zoneinfo: a process of its own that sees none."""
    code = (
        "import sys, zoneinfo; from datetime import datetime; from kedge.cron import parse;"
        "assert zoneinfo.TZPATH == ();"
        "schedule = parse('0 12 * * *', zone='Africa/Casablanca');"
        "sys.stdout.write(str(schedule.next(datetime.fromisoformat(sys.argv[1]))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, NOON.isoformat()],
        env=os.environ | {"PYTHONTZPATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == str(datetime(2026, 6, 2, 11, tzinfo=UTC))
