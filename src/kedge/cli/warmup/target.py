"""The instant that a warm-up waits for. Pure: the present is handed in."""

from datetime import UTC, datetime, timedelta

from kedge.cli.warmup.asked import SCHEDULE, ZONE, Asked, Mistake

TYPE_CHECKING = False
if TYPE_CHECKING:  # this way, because the import of typing costs more than all that is below
    from kedge.cron import Schedule

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)
FIRST = datetime(2015, 1, 1, tzinfo=UTC)
"""Kubernetes is not older: a smaller number behind a name is a number, and no time."""
AHEAD = timedelta(days=1)
"""How far a minute may lie in the future: a CronJob starts no Job early, but clocks differ."""
SLACK = timedelta(seconds=90)
"""How long a CronJob may take until the pod is there."""
LONGEST_NAME = 63
"""Characters in the name of a Job."""
DIGITS = 10
"""More are no minute before the year 9999."""


class Target:
    """A run to wait for, and how it is known."""

    __slots__ = ("at", "source")

    def __init__(self, at: datetime, source: str) -> None:
        self.at = at
        self.source = source


def target_of(asked: Asked, start: datetime) -> Target:
    """Say which run a pod is for that came to be at `start`; Mistake where that can not be known.

    The CronJob's Job has the minute that it was meant for in its name, however late it came. What
    has no such name is for the first run that it can be in time for.
    """
    minute = scheduled_minute(asked.job, start)
    if minute is not None:
        if asked.lead is not None:
            return Target(minute + asked.lead, f"job {asked.job}")
        return Target(_first_run(asked, minute), f"job {asked.job}")
    if not asked.schedule:
        raise Mistake(asked.job_from, _no_minute(asked))
    earliest = start if asked.lead is None else start + asked.lead - SLACK
    return Target(_first_run(asked, earliest), f"the next of {asked.schedule}")


def scheduled_minute(job: str, start: datetime) -> datetime | None:
    """Read the minute out of the name that a CronJob gave to a Job; None if it is another name."""
    name, _, digits = job.rpartition("-")
    if not name or not digits.isascii() or not digits.isdigit() or len(digits) > DIGITS:
        return None
    try:
        minute = EPOCH + timedelta(minutes=int(digits))
    except OverflowError:
        return None
    return minute if FIRST <= minute <= start + AHEAD else None


def _no_minute(asked: Asked) -> str:
    problem = "it is not set"
    if asked.job:
        shown = asked.job if len(asked.job) <= LONGEST_NAME else f"{asked.job[:LONGEST_NAME]}..."
        problem = f"{shown!r} does not end in the minute of a CronJob, as report-29576520 does"
    return f"{problem}, and there is no {SCHEDULE} to go by"


def _first_run(asked: Asked, earliest: datetime) -> datetime:
    run = next(_parsed(asked).between(earliest, LAST), None)
    if run is None:
        raise Mistake(SCHEDULE, f"{asked.schedule!r} never runs again")
    return run


def _parsed(asked: Asked) -> "Schedule":
    from kedge.cron.errors import CronError
    from kedge.cron.parser import parse

    try:
        return parse(asked.schedule, zone=asked.zone or None)
    except CronError as exc:
        is_zone = exc.field == "zone" and exc.position is None
        raise Mistake(ZONE if is_zone else SCHEDULE, str(exc)) from exc
