"""Stretches against the zone files themselves, for every zone there is."""

import zoneinfo
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest

from kedge.cron.zones import load
from tests.cron_oracle.zones import offset_at

NAMES = files("tzdata").joinpath("zones").read_text().split()
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
START, END = datetime(2023, 1, 1, tzinfo=UTC), datetime(2038, 1, 1, tzinfo=UTC)


LETTERS = [
    pytest.param(one, marks=pytest.mark.slow if one in "AEP" else ())
    for one in sorted({name[0] for name in NAMES})
]
"""The slow ones are continents and oceans, with hundreds of zones; countries are daily."""


@pytest.mark.parametrize("letter", LETTERS)
def test_every_zone_has_its_offset_on_every_day_and_at_every_change(letter: str) -> None:
    for name in (name for name in NAMES if name[0] == letter):
        zone = load(name)
        at = START
        while at < END:
            assert zone.at(at).offset == offset_at(name, at), (name, at)
            at += DAY
        for stretch in zone.changes(START, END):
            before, after = stretch.start - SECOND, stretch.start
            assert zone.at(before).offset == offset_at(name, before), (name, before)
            assert stretch.offset == offset_at(name, after) != offset_at(name, before), (
                name,
                after,
            )


def test_the_past_has_its_offsets_too() -> None:
    for name in ("Europe/Amsterdam", "Africa/Monrovia", "America/Caracas", "Asia/Riyadh"):
        zone = load(name)
        for day in range(0, 60_000, 7):
            at = datetime(1880, 1, 1, tzinfo=UTC) + day * DAY
            assert zone.at(at).offset == offset_at(name, at), (name, at)


@pytest.mark.parametrize(
    ("name", "hours"),
    [("UTC", 0), ("Etc/UTC", 0), ("Asia/Tokyo", 9), ("Etc/GMT+5", -5), ("America/Lima", -5)],
)
def test_a_zone_is_also_one_of_the_standard_library(name: str, hours: int) -> None:
    assert datetime(2026, 3, 27, tzinfo=load(name).info).utcoffset() == timedelta(hours=hours)


def test_the_data_of_the_system_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "Europe").mkdir()
    wrong = files("tzdata").joinpath("zoneinfo", "Asia", "Tokyo").read_bytes()
    (tmp_path / "Europe" / "Amsterdam").write_bytes(wrong)
    try:
        zoneinfo.reset_tzpath(to=[tmp_path])
        load.cache_clear()
        offset = load("Europe/Amsterdam").at(START).offset
    finally:
        zoneinfo.reset_tzpath()
    assert offset == timedelta(hours=1)
