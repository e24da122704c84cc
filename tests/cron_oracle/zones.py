"""Time zones from the tzdata package, and where their clocks change."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib import resources
from zoneinfo import ZoneInfo

from tests.cron_oracle.refused import Refused

MINUTE = timedelta(minutes=1)
ZONES = (
    "UTC",
    "Europe/Amsterdam",
    "America/New_York",
    "America/Sao_Paulo",
    "America/Santiago",
    "Africa/Cairo",
    "Asia/Beirut",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Antarctica/Troll",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Pacific/Chatham",
    "America/St_Johns",
    "Africa/Casablanca",
    "Asia/Gaza",
    "Europe/Dublin",
    "Atlantic/Azores",
    "America/Scoresbysund",
    "Asia/Almaty",
)
FIRST = datetime(2022, 12, 20, tzinfo=UTC)
LAST = datetime(2038, 1, 20, tzinfo=UTC)
APIA_CHANGE = datetime(2011, 12, 30, 10, tzinfo=UTC)  # the day that Samoa skipped


@dataclass(frozen=True)
class Segment:
    """A stretch of time [start, end) with one offset from UTC."""

    start: datetime
    end: datetime
    offset: timedelta


@lru_cache(maxsize=64)
def zone_info(name: str) -> ZoneInfo:
    """Load a zone from the tzdata package, never from the system."""
    if not name or not set(name) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_+-"
    ):
        raise Refused(f"bad zone: {name!r}")
    try:
        file = resources.files("tzdata.zoneinfo").joinpath(*name.split("/"))
        with file.open("rb") as data:
            return ZoneInfo.from_file(data, key=name)
    except (OSError, ValueError) as error:
        raise Refused(f"unknown zone: {name!r}") from error


def offset_at(zone: str, instant: datetime) -> timedelta:
    """Give the offset from UTC at an instant."""
    offset = instant.astimezone(zone_info(zone)).utcoffset()
    assert offset is not None
    return offset


@lru_cache(maxsize=64)
def segments(zone: str) -> tuple[Segment, ...]:
    """Cut 2022-12-20..2038-01-20 where the clock changes, by looking every six hours."""
    cuts = [FIRST]
    moment, stride = FIRST, timedelta(hours=6)
    before = offset_at(zone, moment)
    while moment < LAST:
        after = offset_at(zone, moment + stride)
        if before != after:
            cut = moment
            while offset_at(zone, cut) == before:
                cut += MINUTE
            cuts.append(cut)
        moment, before = moment + stride, after
    return tuple(
        Segment(start, end, offset_at(zone, start))
        for start, end in zip(cuts, [*cuts[1:], LAST], strict=True)
    )


@lru_cache(maxsize=64)
def transitions(zone: str) -> tuple[datetime, ...]:
    """List the instants at which the clock changes, 2023-2037, and 2011 in Apia."""
    found = tuple(segment.start for segment in segments(zone)[1:])
    return (APIA_CHANGE, *found) if zone == "Pacific/Apia" else found
