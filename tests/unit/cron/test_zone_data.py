"""Stretches against the zone files themselves, for every zone there is."""

from datetime import UTC, datetime, timedelta
from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest

from kedge.cron.zones import load

NAMES = files("tzdata").joinpath("zones").read_text().split()
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
ZERO = timedelta(0)
START, END = datetime(2023, 1, 1, tzinfo=UTC), datetime(2038, 1, 1, tzinfo=UTC)


def offset(zone: ZoneInfo, instant: datetime) -> timedelta:
    return instant.astimezone(zone).utcoffset() or ZERO


@pytest.mark.parametrize("letter", sorted({name[0] for name in NAMES}))
def test_every_zone_has_its_offset_on_every_day_and_at_every_change(letter: str) -> None:
    for name in (name for name in NAMES if name[0] == letter):
        zone, truth = load(name), _zone_info(name)
        at = START
        while at < END:
            assert zone.at(at).offset == offset(truth, at), (name, at)
            at += DAY
        for stretch in zone.changes(START, END):
            before, after = stretch.start - SECOND, stretch.start
            assert zone.at(before).offset == offset(truth, before), (name, before)
            assert stretch.offset == offset(truth, after) != offset(truth, before), (name, after)


def test_the_past_has_its_offsets_too() -> None:
    for name in ("Europe/Amsterdam", "Africa/Monrovia", "America/Caracas", "Asia/Riyadh"):
        zone, truth = load(name), _zone_info(name)
        for day in range(0, 60_000, 7):
            at = datetime(1880, 1, 1, tzinfo=UTC) + day * DAY
            assert zone.at(at).offset == offset(truth, at), (name, at)


def _zone_info(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)
