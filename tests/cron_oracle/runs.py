"""The runs of a schedule, by trying every minute."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from tests.cron_oracle.reading import Reading
from tests.cron_oracle.zones import MINUTE, offset_at, zone_info

DAY = timedelta(days=1)
INSTANT = timedelta(microseconds=1)
SPANS = (3, 40, 400, 4000, 16000)  # days to look ahead or back


def wall_runs(
    reading: Reading, start: datetime, end: datetime, *, backward: bool = False
) -> Iterator[datetime]:
    """Give the instants in [start, end) whose reading on the local clock matches."""
    zone = zone_info(reading.zone)
    order = -1 if backward else 1
    first = start.astimezone(UTC).date()
    days = range((end.astimezone(UTC).date() - first).days + 1)
    for day in (first + DAY * n for n in days[::order]):
        # A UTC day shares minutes with three local dates at most.
        if not any(reading.day_matches(day + DAY * n) for n in (-1, 0, 1)):
            continue
        midnight = datetime.combine(day, time(), UTC)
        for minute in range(1440)[::order]:
            instant = midnight + MINUTE * minute
            if start <= instant < end:
                local = instant.astimezone(zone)
                if reading.time_matches(local) and reading.day_matches(local.date()):
                    yield instant


def first_instant(day: date, hour: int, minute: int, zone: str) -> datetime:
    """Map a local time to its first instant, or to the end of the gap that skips it."""
    naive = datetime.combine(day, time(hour, minute))
    info = zone_info(zone)
    instants = [naive.replace(tzinfo=info, fold=fold).astimezone(UTC) for fold in (0, 1)]
    for instant in sorted(instants):
        if instant.astimezone(info).replace(tzinfo=None, fold=0) == naive:
            return instant
    # In a gap, fold=1 counts with the offset behind the gap: an instant before the change.
    instant = instants[1]
    before = offset_at(zone, instant)
    while offset_at(zone, instant) == before:
        instant += MINUTE
    return instant


def once_runs(reading: Reading, start: datetime, end: datetime) -> list[datetime]:
    """Give the runs in [start, end) when each matching local time runs exactly once."""
    first, last = start.astimezone(UTC).date() - 2 * DAY, end.astimezone(UTC).date() + 2 * DAY
    found = {
        first_instant(day, hour, minute, reading.zone)
        for day in (first + DAY * n for n in range((last - first).days + 1))
        if reading.day_matches(day)
        for hour in reading.hour.values
        for minute in reading.minute.values
    }
    return sorted(instant for instant in found if start <= instant < end)


def runs(reading: Reading, start: datetime, end: datetime, dst: str = "wall") -> list[datetime]:
    """Give all runs in [start, end)."""
    if dst == "once" and not reading.every_hour:
        return once_runs(reading, start, end)
    return list(wall_runs(reading, start, end))


def next_run(reading: Reading, after: datetime, dst: str = "wall") -> datetime | None:
    """Give the first run after an instant."""
    start = after + INSTANT
    if dst == "wall" or reading.every_hour:
        return next(wall_runs(reading, start, after + SPANS[-1] * DAY), None)
    for span in SPANS:
        if found := once_runs(reading, start, after + span * DAY):
            return found[0]
    return None


def prev_run(reading: Reading, before: datetime, dst: str = "wall") -> datetime | None:
    """Give the last run before an instant."""
    if dst == "wall" or reading.every_hour:
        return next(wall_runs(reading, before - SPANS[-1] * DAY, before, backward=True), None)
    for span in SPANS:
        if found := once_runs(reading, before - span * DAY, before):
            return found[-1]
    return None


def runs_at(reading: Reading, instant: datetime, dst: str = "wall") -> bool:
    """Tell whether a run is exactly at an instant."""
    return bool(runs(reading, instant, instant + INSTANT, dst))
