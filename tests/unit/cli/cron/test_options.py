import zoneinfo
from datetime import datetime, timedelta
from pathlib import Path
from pkgutil import get_data

import pytest

from kedge.cli.cron.options import tzinfo_of


@pytest.mark.parametrize(
    ("name", "hours"),
    [("UTC", 0), ("Etc/UTC", 0), ("Asia/Tokyo", 9), ("America/Argentina/Salta", -3)],
)
def test_a_zone_is_found_by_its_name(name: str, hours: int) -> None:
    assert datetime(2026, 3, 27, tzinfo=tzinfo_of(name)).utcoffset() == timedelta(hours=hours)


def test_the_data_of_the_system_does_not_count(tmp_path: Path) -> None:
    wrong = get_data("tzdata", "zoneinfo/Asia/Tokyo")
    assert wrong
    (tmp_path / "Europe").mkdir()
    (tmp_path / "Europe" / "Amsterdam").write_bytes(wrong)
    try:
        zoneinfo.reset_tzpath(to=[tmp_path])
        zone = tzinfo_of("Europe/Amsterdam")
    finally:
        zoneinfo.reset_tzpath()
    assert datetime(2026, 3, 27, tzinfo=zone).utcoffset() == timedelta(hours=1)
