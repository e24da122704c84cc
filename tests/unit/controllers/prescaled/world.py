"""A world in virtual time: the controller's decisions beside a model of the CronJob controller.

The model starts a CronJob at each instant of its expression, and makes up for the last one that it
missed within the deadline, as the real one does. A Job has a name, and no name is there twice.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import zip_longest
from typing import Any

import msgspec

from kedge.api.plain import from_plain
from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB, PreScaledCronJob
from kedge.controllers.prescaled.children import job_name
from kedge.controllers.prescaled.decide import decide
from kedge.controllers.prescaled.heads import HASH, Child
from kedge.controllers.prescaled.plan import Plan, Refused, plan_of
from kedge.cron import Schedule, parse
from kedge.kube.kind import Object
from kedge.kube.times import format_time, parse_time

FAR = datetime.max.replace(tzinfo=UTC)
MINUTE = timedelta(minutes=1)
IMAGE = "example.com/kedge:1"
LAG = timedelta(milliseconds=400)
"""How long the CronJob controller takes to start a Job."""


def made(
    schedule: str, lead: int = 10, created: str = "2026-01-01T00:00:00Z", **more: Any
) -> PreScaledCronJob:
    """Write a PreScaledCronJob as the server gives it back."""
    own = {key: more.pop(key) for key in ("primerSchedule",) if key in more}
    name = more.pop("name", "job")
    obj = {
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": "u-1",
            "generation": 1,
            "creationTimestamp": created,
        },
        "spec": {
            "warmUpTimeMins": lead,
            **own,
            "cronJob": {"spec": {"schedule": schedule, "jobTemplate": {"spec": {}}, **more}},
        },
    }
    return from_plain(PRE_SCALED_CRON_JOB, obj)


def planned(obj: PreScaledCronJob) -> Plan:
    """Plan an object that is right."""
    plan = plan_of(obj)
    assert not isinstance(plan, Refused), str(plan)
    return plan


def children(obj: PreScaledCronJob, now: datetime, image: str = IMAGE) -> list[Object]:
    """Make the CronJobs of an object that has none yet."""
    return list(decide(obj, planned(obj), {}, image, now).children)


@lru_cache(maxsize=100_000)
def read(text: str, zone: str) -> Schedule:
    """Read an expression as the CronJob controller does."""
    return parse(text, zone=zone)


@dataclass
class World:
    """One PreScaledCronJob, its CronJobs, and the Jobs that were started."""

    obj: PreScaledCronJob
    now: datetime
    children: dict[str, dict[str, Any]] = field(default_factory=dict)
    jobs: dict[str, datetime] = field(default_factory=dict)
    """When each Job was started."""
    starts: list[datetime] = field(default_factory=list)
    """What each Job was started for."""
    writes: int = 0
    missed: int = 0
    wake: datetime | None = None
    is_awake: bool = True
    has_cron: bool = True

    def __post_init__(self) -> None:
        self.plan = planned(self.obj)

    def reconcile(self) -> None:
        """Do what the controller does; what it has made it looks at again."""
        is_new = not self.children
        self._look()
        if is_new:
            self._look()

    def _look(self) -> None:
        known = {name: msgspec.convert(one, Child) for name, one in self.children.items()}
        course = decide(self.obj, self.plan, known, IMAGE, self.now)
        self.wake, self.missed = course.wake, self.missed + course.missed
        for wanted in course.children:
            name = wanted["metadata"]["name"]
            child = known.get(name)
            if child is not None:
                for each in course.starts:
                    self.start(name, each.warm_up)
            if child is None or child.marks.hash != wanted["metadata"]["annotations"][HASH]:
                self._put(name, wanted)
        for name in set(self.children) - {one["metadata"]["name"] for one in course.children}:
            del self.children[name]

    def _put(self, name: str, wanted: dict[str, Any]) -> None:
        self.writes += 1
        old = self.children.get(name)
        born = old["metadata"]["creationTimestamp"] if old else format_time(self.now)
        metadata = {**wanted["metadata"], "uid": f"u-{name}", "creationTimestamp": born}
        status = old["status"] if old else {}
        self.children[name] = {**wanted, "metadata": metadata, "status": status}

    def start(self, child: str, at: datetime) -> None:
        """Start a Job, unless it is there."""
        name = job_name(child, at)
        if name not in self.jobs:
            self.jobs[name] = self.now
            self.starts.append(at)

    def cron(self, child: dict[str, Any]) -> datetime:
        """Say when the CronJob controller starts this CronJob next; the past is at once."""
        spec = child["spec"]
        if spec.get("suspend") or not self.has_cron:
            return FAR
        schedule = read(spec["schedule"], spec["timeZone"])
        base = parse_time(child["metadata"]["creationTimestamp"])
        if last := child["status"].get("lastScheduleTime"):
            base = parse_time(last)
        if (seconds := spec.get("startingDeadlineSeconds")) is not None:
            base = max(base, self.now - timedelta(seconds=seconds))
        following = schedule.next(base)
        if following is not None and following <= self.now:
            following = schedule.prev(self.now + timedelta(microseconds=1))
        return following or FAR

    def fire(self, child: dict[str, Any], at: datetime) -> None:
        """Have the CronJob controller start a CronJob."""
        self.start(child["metadata"]["name"], at)
        child["status"] = {"lastScheduleTime": format_time(at)}

    def run(self, until: datetime) -> None:
        """Let time pass, from one event to the next."""
        if self.is_awake:
            self.reconcile()
        while True:
            crons = [(self.cron(child), name) for name, child in self.children.items()]
            due, name = min(crons, default=(FAR, ""))
            due = FAR if due == FAR else max(due + LAG, self.now)
            wake = self.wake if self.is_awake and self.wake else FAR
            following = min(due, max(wake, self.now))
            if following >= until:
                self.now = max(self.now, until)
                return
            self.now = following
            if following == due:
                self.fire(self.children[name], min(crons)[0])
            if self.is_awake:
                self.reconcile()


def firings(child: dict[str, Any], start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield when the CronJob controller starts a CronJob, after an instant and before another."""
    spec = child["spec"]
    schedule = read(spec["schedule"], spec["timeZone"])
    at = schedule.next(start)
    while at is not None and at < end and not spec.get("suspend"):
        yield at
        at = schedule.next(at)


def same(found: Iterable[datetime], expected: Iterable[datetime]) -> str:
    """Say where two sequences part first; nothing if they do not."""
    last = None
    for one, other in zip_longest(found, expected):
        if one != other:
            return f"{one} is there, {other} was expected, after {last}"
        last = one
    return ""
