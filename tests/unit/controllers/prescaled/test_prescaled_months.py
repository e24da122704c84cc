"""24 months of schedules near every trap: leap years, month ends, changes of the clocks."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from tests.unit.controllers.prescaled.truth import truth
from tests.unit.controllers.prescaled.world import World, made, same

START, END = datetime(2027, 9, 1, tzinfo=UTC), datetime(2029, 9, 1, tzinfo=UTC)
BORN = "2027-09-01T00:00:00Z"
CASES = [
    ("0 0 1 * *", 10, "UTC"),
    ("30 0 1 * *", 4320, "UTC"),
    ("0 0 * 3,6 1", 10, "UTC"),
    ("0 0 1,13 * 5", 10, "UTC"),
    ("5 2 * * *", 10, "Europe/Amsterdam"),
    ("5 3 * * *", 10, "Europe/Amsterdam"),
    ("30 2 * * 0", 90, "America/New_York"),
    ("0 8 * * 0", 1440, "Europe/Amsterdam"),
    ("0 0 * * *", 10, "America/Santiago"),
    ("0 2 * * *", 10, "Australia/Lord_Howe"),
    ("15 1 1 * *", 60, "Africa/Casablanca"),
    ("0 12 29 2 *", 10, "UTC"),
    ("0 0 29 2 *", 1, "Pacific/Auckland"),
    ("@every 25h", 61, "UTC"),
    ("@monthly", 10080, "Asia/Kathmandu"),
    ("0 6 28-31 * *", 1440, "UTC"),
    ("45 23 31 12 *", 10, "Asia/Tehran"),
]


@pytest.mark.parametrize(("schedule", "lead", "zone"), CASES)
def test_each_run_is_started_for_once_and_nothing_else(schedule: str, lead: int, zone: str) -> None:
    obj = made(schedule, lead, BORN, timeZone=zone)
    world = World(obj, START)
    world.run(END)
    assert same(world.starts, truth(obj, START, END)) == ""
    assert world.missed == 0


@pytest.mark.parametrize(("schedule", "lead", "zone"), CASES)
def test_a_controller_that_sleeps_now_and_then_misses_no_run_that_is_still_ahead(
    schedule: str, lead: int, zone: str
) -> None:
    obj = made(schedule, lead, BORN, timeZone=zone, concurrencyPolicy="Allow")
    world, draw = World(obj, START), Random(f"{schedule} {lead} {zone}")
    naps: list[tuple[datetime, datetime]] = []
    while world.now < END:
        world.run(world.now + (END - START) * draw.uniform(0.001, 0.05))
        world.is_awake = False
        begin = world.now
        world.run(begin + (END - START) * draw.uniform(0.0, 0.05))
        world.is_awake = True
        naps.append((begin, world.now))
    end = world.now
    world.run(end)
    expected = list(truth(obj, START, end))
    assert not set(world.starts) - set(expected), "a spurious start"
    assert len(set(world.starts)) == len(world.starts), "a double start"
    for start in set(expected) - set(world.starts):
        # Only what was due, and over, within one sleep can be lost.
        assert any(a < start and start + timedelta(minutes=lead) <= b for a, b in naps), start
