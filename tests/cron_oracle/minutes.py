"""All minutes of 2023-2037 as one byte each, 1 where a schedule runs: quick enough to hold all."""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise

from tests.cron_oracle.reading import Reading
from tests.cron_oracle.zones import FIRST, LAST, MINUTE, segments

DAY = timedelta(days=1)
TOTAL = (LAST - FIRST) // MINUTE


@dataclass(frozen=True)
class Stretch:
    """The minutes [low, high) of a local day, without a change of the clock; `at` is low in UTC."""

    day: date
    low: int
    high: int
    at: int


def day_and_minute(local: int) -> tuple[date, int]:
    """Split a count of local minutes since FIRST."""
    days, minute = divmod(local, 1440)
    return FIRST.date() + DAY * days, minute


@lru_cache(maxsize=32)
def stretches(zone: str) -> tuple[Stretch, ...]:
    """Cut the whole period at local midnights and at changes of the clock."""
    found = []
    for segment in segments(zone):
        shift = segment.offset // MINUTE
        at, end = (segment.start - FIRST) // MINUTE, (segment.end - FIRST) // MINUTE
        while at < end:
            day, low = day_and_minute(at + shift)
            high = min(1440, low + end - at)
            found.append(Stretch(day, low, high, at))
            at += high - low
    return tuple(found)


def day_pattern(reading: Reading) -> bytes:
    """Mark the minutes of a matching day."""
    return bytes(
        minute % 60 in reading.minute.values and minute // 60 in reading.hour.values
        for minute in range(1440)
    )


@lru_cache(maxsize=4)
def run_minutes(reading: Reading, dst: str = "wall") -> bytes:
    """Mark every minute at which a schedule runs."""
    pattern = day_pattern(reading)
    marks = bytearray(TOTAL)
    for part in stretches(reading.zone):
        if reading.day_matches(part.day):
            marks[part.at : part.at + part.high - part.low] = pattern[part.low : part.high]
    if dst == "once" and not reading.every_hour:
        _run_each_local_time_once(reading, pattern, marks)
    return bytes(marks)


def _run_each_local_time_once(reading: Reading, pattern: bytes, marks: bytearray) -> None:
    """Move skipped times to the end of their gap; silence the second of two equal readings."""
    known = segments(reading.zone)
    for before, after in pairwise(known):
        at = (after.start - FIRST) // MINUTE
        old, new = at + before.offset // MINUTE, at + after.offset // MINUTE
        if new < old:
            marks[at : at + old - new] = bytes(old - new)
        for skipped in range(old, new):
            day, minute = day_and_minute(skipped)
            if pattern[minute] and reading.day_matches(day):
                marks[at] = 1
                break


def warm_ups(marks: bytes, lead: int) -> bytes:
    """Move all runs `lead` minutes ahead."""
    return marks[lead:] + bytes(lead)


def has_gap_over(marks: bytes, lead: int) -> bool:
    """Tell whether two runs, one after the other, are more than `lead` minutes apart."""
    return bytes(lead) in marks.strip(b"\0")


def minutes_of(marks: bytes) -> list[int]:
    """List the marked minutes."""
    found, at = [], marks.find(1)
    while at >= 0:
        found.append(at)
        at = marks.find(1, at + 1)
    return found
