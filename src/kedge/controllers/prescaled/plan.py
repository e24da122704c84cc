"""What a PreScaledCronJob asks for: when to start, and for which runs. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final, TypeAlias

from kedge.api.prescaled.cronjob import PREFIXES, VERSIONS
from kedge.api.prescaled.kind import LONGEST_NAME, Mode, PreScaledCronJob
from kedge.controllers.prescaled.runs import MINUTE, Occurrence, Runs, parsed, without_zone
from kedge.cron import CronError, Schedule, prime
from kedge.cron.every import Every
from kedge.kube.times import TimeError, parse_time

ALLOW: Final = "Allow"
CHILD: Final = "autogen-"
CHILD_LIMIT: Final = 52
"""Characters in the name of a CronJob, which the name of its Jobs is made of."""
INVALID_SCHEDULE: Final = "InvalidSchedule"
INVALID_CRON_JOB: Final = "InvalidCronJob"
SCHEDULE: Final = "spec.cronJob.spec.schedule"
ZONE: Final = "spec.cronJob.spec.timeZone"
PRIMER: Final = "spec.primerSchedule"
LEAD: Final = "spec.warmUpTimeMins"
SECONDS: Final = "@every needs whole minutes here, for that is what CronJobs start on"


@dataclass(frozen=True, slots=True)
class Refused:
    """It can not be done as it stands; only its author can mend it."""

    field: str
    reason: str
    """What is wrong, in words."""
    code: str = INVALID_SCHEDULE
    """The same as one word, for programs."""

    def __str__(self) -> str:
        """Name the field and what is wrong with it."""
        return f"{self.field}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Static:
    """Cron expressions say all the starts, each for a CronJob of its own."""

    runs: Runs
    expressions: tuple[str, ...]
    zone: str
    """In which the expressions are to be read."""
    lead: timedelta | None
    """None where the starts were given by hand: the distance differs from run to run."""
    by_hand: Runs | None = None
    mode: Mode = Mode.STATIC

    def next(self, after: datetime) -> Occurrence | None:
        """Give the first start after an instant."""
        if self.by_hand is None:
            return _ahead(self.runs, self.lead or timedelta(0), after)
        start = self.by_hand.next(after)
        run = self.run_of(start) if start is not None else None
        return Occurrence(start, run) if start is not None and run is not None else None

    def last_start(self, now: datetime) -> datetime | None:
        """Give the last start by hand that is not after an instant."""
        return self.by_hand.last(now) if self.by_hand else None

    def run_of(self, start: datetime) -> datetime | None:
        """Give the run that a start is for."""
        if self.lead is not None:
            return start + self.lead
        return start if self.runs.matches(start) else self.runs.next(start)


@dataclass(frozen=True, slots=True)
class Rolling:
    """No expressions say it: the CronJob is moved on from start to start."""

    runs: Runs
    lead: timedelta
    zone: str = "UTC"
    mode: Mode = Mode.ROLLING

    def next(self, after: datetime) -> Occurrence | None:
        """Give the first start after an instant."""
        return _ahead(self.runs, self.lead, after)

    def run_of(self, start: datetime) -> datetime | None:
        """Give the run that a start is for."""
        return start + self.lead


Plan: TypeAlias = Static | Rolling


def plan_of(obj: PreScaledCronJob) -> Plan | Refused:
    """Plan the starts of an object, or say what is wrong with it."""
    spec = _spec(obj)
    if isinstance(spec, Refused):
        return spec
    anchor = _anchor(obj.metadata.creation_timestamp)
    runs = _runs(spec, anchor)
    if isinstance(runs, Refused):
        return runs
    if obj.spec.primer_schedule:
        return _by_hand(runs, obj.spec.primer_schedule, anchor)
    return _led(runs, obj.spec.warm_up_time_mins, obj.metadata.name, spec)


def occurrences(plan: Plan, start: datetime, end: datetime) -> Iterator[Occurrence]:
    """Yield the starts after one instant and up to another one."""
    found = plan.next(start)
    while found is not None and found.warm_up <= end:
        yield found
        found = plan.next(found.warm_up)


def expression_of(schedule: Schedule) -> str:
    """Write a schedule as CronJobs have it: without its time zone."""
    return without_zone(str(schedule))


def child_name(name: str, number: int = 1) -> str:
    """Name the CronJob of an expression, counted from 1."""
    return f"{CHILD}{name}" if number == 1 else f"{CHILD}{name}-{number}"


def is_suspended(obj: PreScaledCronJob) -> bool:
    """Tell whether nothing is to be started for now."""
    return bool((obj.spec.cron_job.get("spec") or {}).get("suspend"))


def policy_of(obj: PreScaledCronJob) -> str:
    """Say what happens to a run while the one before goes on."""
    return _policy(obj.spec.cron_job.get("spec") or {})


def _policy(spec: Mapping[str, Any]) -> str:
    return spec.get("concurrencyPolicy") or ALLOW


def _ahead(runs: Runs, lead: timedelta, after: datetime) -> Occurrence | None:
    try:
        run = runs.next(after + lead)
    except OverflowError:
        return None
    return Occurrence(run - lead, run) if run is not None else None


def _spec(obj: PreScaledCronJob) -> Mapping[str, Any] | Refused:
    """Read the spec of the CronJob, unless it is none."""
    cron_job = obj.spec.cron_job
    version, kind, spec = (cron_job.get(name) for name in ("apiVersion", "kind", "spec"))
    if version and version not in VERSIONS:
        text = f"{version} is not known; write {VERSIONS[0]}"
        return Refused("spec.cronJob.apiVersion", text, INVALID_CRON_JOB)
    if kind and kind != "CronJob":
        return Refused("spec.cronJob.kind", f"{kind} is no CronJob", INVALID_CRON_JOB)
    if not isinstance(spec, Mapping):
        text = "it is missing; write the spec of a CronJob"
        return Refused("spec.cronJob.spec", text, INVALID_CRON_JOB)
    if len(obj.metadata.name) > LONGEST_NAME:
        text = f"that of its CronJob would be too long; use at most {LONGEST_NAME} characters"
        return Refused("metadata.name", text, "InvalidName")
    return spec


def _runs(spec: Mapping[str, Any], anchor: datetime | None) -> Runs | Refused:
    """Read the schedule of the runs."""
    text, zone = spec.get("schedule"), spec.get("timeZone")
    if not isinstance(text, str) or not text.strip():
        return Refused(SCHEDULE, "it is missing; write a cron expression such as 0 2 * * *")
    if refused := _bad_zone(text, zone):
        return refused
    try:
        schedule = parsed(text, zone)
    except CronError as exc:
        is_zone = exc.field == "zone" and exc.position is None
        return Refused(ZONE if is_zone else SCHEDULE, str(exc))
    if _has_seconds(schedule):
        return Refused(SCHEDULE, SECONDS)
    return Runs(schedule, anchor)


def _has_seconds(schedule: Schedule) -> bool:
    return isinstance(schedule, Every) and schedule.seconds % 60 != 0


def _bad_zone(text: str, zone: Any) -> Refused | None:
    if zone is None:
        return None
    if not isinstance(zone, str) or not zone or zone.lower() == "local":
        return Refused(ZONE, f"{zone!r} is no time zone; use a name such as Europe/Amsterdam")
    if text.startswith(PREFIXES):
        return Refused(ZONE, "the schedule names a time zone as well; leave out one of them")
    return None


def _anchor(created: str | None) -> datetime | None:
    """Count `@every` from the minute in which the object was made."""
    try:
        return parse_time(created).replace(second=0, microsecond=0) if created else None
    except TimeError:
        return None


def _by_hand(runs: Runs, text: str, anchor: datetime | None) -> Static | Refused:
    """Take the starts as they were given."""
    if not text.strip():
        return Refused(PRIMER, "it is blank; write a cron expression, or leave it out")
    if isinstance(runs.schedule, Every):
        text = "it can not lead up to @every, which has no times of its own; use warmUpTimeMins"
        return Refused(PRIMER, text)
    try:
        starts = parsed(text, runs.schedule.zone)
    except CronError as exc:
        return Refused(PRIMER, str(exc))
    if _has_seconds(starts):
        return Refused(PRIMER, SECONDS)
    given = without_zone(text).strip()
    return Static(runs, (given,), starts.zone, None, Runs(starts, anchor))


def _led(runs: Runs, minutes: int, name: str, spec: Mapping[str, Any]) -> Plan | Refused:
    """Start so many minutes before each run."""
    lead = minutes * MINUTE
    if not minutes:
        if isinstance(runs.schedule, Every):
            return Rolling(runs, lead)
        return Static(runs, (expression_of(runs.schedule),), runs.schedule.zone, lead)
    try:
        expressions = _primed(runs.schedule, minutes)
    except CronError as exc:
        return Refused(LEAD, str(exc))
    is_one = len(expressions) == 1
    is_free = _policy(spec) == ALLOW
    # CronJobs know nothing of each other, so that only those that may overlap can be several.
    is_short = len(child_name(name, len(expressions))) <= CHILD_LIMIT
    if expressions and (is_one or (is_free and is_short)):
        return Static(runs, expressions, runs.schedule.zone, lead)
    return Rolling(runs, lead)


@lru_cache(maxsize=4096)
def _primed(schedule: Schedule, minutes: int) -> tuple[str, ...]:
    """Shift a schedule once: that takes a while, and a plan is made at every look."""
    return prime(schedule, minutes * MINUTE).expressions
