"""Measure pods: each station that one comes to is counted once."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

from kedge.aio.clock import Clock
from kedge.api.prescaled.kind import PreScaledCronJob
from kedge.client import Client, Selection
from kedge.controllers.prescaled.children import PRIMED
from kedge.controllers.prescaled.plan import Refused, plan_of
from kedge.controllers.prescaled.times import (
    Event,
    Pod,
    Times,
    is_restarted,
    lead_of,
    measures,
    start_of,
    times_of,
    with_events,
)
from kedge.kube.kind import Kind, plain
from kedge.runtime import AWAIT_CHANGE, Cache, Keeping, Key, Manager, On, Result, itself

PODS: Final[Kind[Pod]] = plain("v1", "Pod", "pods").into(Pod)
EVENTS: Final[Kind[Event]] = plain("v1", "Event", "events").into(Event)
NAME: Final = "prescaled-pods"
WORKERS: Final = 4


class Measuring(Protocol):
    """Hears of CronJobs and pods."""

    def acted(self, action: str, *, is_good: bool) -> None:
        """Take note of a write to a CronJob."""

    def took(self, name: str, duration: timedelta, key: Key, pool: str) -> None:
        """Take note of how long something took for a pod of a PreScaledCronJob."""

    def gone(self, key: Key) -> None:
        """Forget a PreScaledCronJob."""


class Nobody:
    """Hears of all, and keeps nothing."""

    def acted(self, action: str, *, is_good: bool) -> None:
        """Keep nothing."""

    def took(self, name: str, duration: timedelta, key: Key, pool: str) -> None:
        """Keep nothing."""

    def gone(self, key: Key) -> None:
        """Keep nothing."""


@dataclass(slots=True)
class PodController:
    """Tells how long pods took from station to station."""

    client: Client
    pods: Cache[Pod]
    objects: Cache[PreScaledCronJob]
    metrics: Measuring
    clock: Clock
    since: datetime | None = None
    """What was over before is not counted: the one who was here before us did that."""
    _told: dict[str, set[str]] = field(default_factory=dict)
    _uids: dict[Key, str] = field(default_factory=dict)

    async def reconcile(self, key: Key) -> Result:
        """Count what is new of one pod."""
        self.since = self.since or self.clock.now()
        pod = self.pods.get(key)
        if pod is None or self._uids.get(key, pod.metadata.uid) != pod.metadata.uid:
            self._told.pop(self._uids.pop(key, ""), None)
        if pod is None:
            return AWAIT_CHANGE
        self._uids[key] = pod.metadata.uid
        owner = Key(key.namespace, (pod.metadata.labels or {}).get(PRIMED, ""))
        obj = self.objects.get(owner)
        if obj is None:
            return AWAIT_CHANGE
        times = await self._times(pod)
        told = self._told.setdefault(pod.metadata.uid, set())
        for name, (duration, end) in measures(times, _due(pod, obj)).items():
            if name not in told and end >= self.since.replace(microsecond=0):
                self.metrics.took(name, duration, owner, pod.pool)
            told.add(name)
        return AWAIT_CHANGE

    async def _times(self, pod: Pod) -> Times:
        """Read the stations; Events are asked where the status of a pod at work lacks some."""
        times = times_of(pod)
        is_known = len(self._told.get(pod.metadata.uid, ())) >= len(measures(times, times.created))
        is_enough = times.is_whole and not is_restarted(pod)
        if times.work_started is None or is_enough or is_known:
            return times
        about = f"involvedObject.kind=Pod,involvedObject.uid={pod.metadata.uid}"
        selection = Selection(pod.metadata.namespace, fields=about)
        return with_events(times, [each async for each in self.client.list(EVENTS, selection)])


def _due(pod: Pod, obj: PreScaledCronJob) -> datetime | None:
    """Say when the work of a pod was to start."""
    start = start_of(pod)
    if start is None:
        return None
    lead = lead_of(pod)
    if lead is not None:
        return start + lead
    plan = plan_of(obj)
    return None if isinstance(plan, Refused) else plan.run_of(start)


def add_pods(
    manager: Manager,
    client: Client,
    metrics: Measuring,
    where: Selection,
    objects: Cache[PreScaledCronJob],
) -> PodController:
    """Have a manager measure the pods."""
    selection = Selection(where.namespace, labels=PRIMED)
    pods = manager.cache(PODS, Keeping(selection))
    controller = PodController(client, pods, objects, metrics, manager.clock)
    manager.control(NAME, controller.reconcile, [On(pods, itself)], workers=WORKERS)
    return controller
