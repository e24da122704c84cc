"""When the warm-ups of a PreScaledCronJob are to start, by the letter of its spec alone.

Nothing of the code under test is asked: the oracle of the cron tests reads the expression, and
each of its times of day is looked up on the clock of each day.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from itertools import dropwhile, takewhile
from zoneinfo import ZoneInfo

from kedge.api.prescaled.kind import PreScaledCronJob
from tests.cron_oracle.reading import Reading, read
from tests.cron_oracle.zones import zone_info

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


def truth(obj: PreScaledCronJob, start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield the starts after an instant and before another one: the lead before each run."""
    spec, lead = obj.spec.cron_job["spec"], MINUTE * obj.spec.warm_up_time_mins
    reading = read(spec["schedule"], spec.get("timeZone") or "UTC")
    first, last = start + lead, end + lead
    runs = _periods(obj, reading.every) if reading.every else _by_the_clock(reading, first, last)
    following = dropwhile(lambda run: run <= first, runs)
    return (run - lead for run in takewhile(lambda run: run < last, following))


def _periods(obj: PreScaledCronJob, seconds: int) -> Iterator[datetime]:
    """Count from the birth of the object, without end."""
    assert obj.metadata.creation_timestamp is not None
    run = datetime.fromisoformat(obj.metadata.creation_timestamp)
    while True:
        run += timedelta(seconds=seconds)
        yield run


def _by_the_clock(reading: Reading, first: datetime, last: datetime) -> Iterator[datetime]:
    """Go through the days, with some to spare at both ends."""
    zone = zone_info(reading.zone)
    times = [time(h, m) for h in sorted(reading.hour.values) for m in sorted(reading.minute.values)]
    day = first.date() - 2 * DAY
    while day <= last.date() + 2 * DAY:
        if reading.day_matches(day):
            if reading.zone == "UTC":
                yield from (datetime.combine(day, one, UTC) for one in times)
            else:
                local = (datetime.combine(day, one) for one in times)
                yield from sorted({at for one in local for at in _instants(one, zone)})
        day += DAY


def _instants(local: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """Give when a clock shows this: twice if it is put back then, never if it is put forward."""
    for fold in (0, 1):
        instant = local.replace(tzinfo=zone, fold=fold).astimezone(UTC)
        if instant.astimezone(zone).replace(tzinfo=None, fold=0) == local:
            yield instant
