"""Make the CronJobs of a PreScaledCronJob what they are to be: the writes, one by one."""

import logging
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol

from msgspec import to_builtins

from kedge.api.prescaled.kind import PreScaledCronJob
from kedge.client import Client
from kedge.client.patches import json, merge
from kedge.client.requests import Deletion
from kedge.controllers.prescaled.children import job_of
from kedge.controllers.prescaled.decide import Course
from kedge.controllers.prescaled.heads import CRON_JOB, HASH, JOB, Child
from kedge.controllers.prescaled.memory import Memory
from kedge.controllers.prescaled.runs import Occurrence
from kedge.controllers.prescaled.status import NORMAL, WARNING, Note
from kedge.kube.errors import AlreadyExists, Conflict, NotFound
from kedge.kube.kind import Object
from kedge.kube.times import format_time
from kedge.runtime import Key

logger = logging.getLogger(__name__)

CREATE: Final = "create"
UPDATE: Final = "update"
DELETE: Final = "delete"
BACKGROUND: Final = "Background"


class Counting(Protocol):
    """Hears of what becomes of CronJobs."""

    def acted(self, action: str, *, is_good: bool) -> None:
        """Take note of a write to a CronJob."""


@dataclass(slots=True)
class Deeds:
    """Carries out a course, and keeps what is to be told of it."""

    client: Client
    memory: Memory
    metrics: Counting
    key: Key
    taken: list[str] = field(default_factory=list)
    """CronJobs that others have, under names of ours."""
    started: list[datetime] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    async def carry_out(
        self, obj: PreScaledCronJob, course: Course, known: Mapping[str, Child]
    ) -> None:
        """Do what is to be done; raises what the API server says against it."""
        uid = obj.metadata.uid
        for wanted in course.children:
            child = known.get(wanted["metadata"]["name"])
            if child is None:
                await self._create(wanted)
            elif not child.is_of(uid):
                self.taken.append(child.name)
            elif not child.metadata.deletion_timestamp:
                await self._start(wanted, child, course)
                await self._update(wanted, child)
        names = {wanted["metadata"]["name"] for wanted in course.children}
        for child in known.values():
            if child.is_of(uid) and child.name not in names:
                await self._retire(child)
        if course.missed:
            self.notes.append(Note(WARNING, "MissedWarmUp", _missed(course.missed)))

    async def _create(self, wanted: Object) -> None:
        with _counted(self.metrics, CREATE):
            try:
                made = await self.client.create(CRON_JOB, wanted, self.key.namespace)
            except AlreadyExists as exc:
                # The cache will tell whose it is.
                raise Conflict(exc.message, exc.details) from exc
        self._wrote(made)
        logger.info("cronjob created", extra={"cronjob": made["metadata"]["name"]})

    async def _update(self, wanted: Object, child: Child) -> None:
        meta, spec = wanted["metadata"], wanted["spec"]
        # What somebody else did to the rest is left alone; when it starts is what we answer for.
        times = (spec.get("schedule"), spec.get("timeZone"))
        is_on_time = (child.spec.schedule, child.spec.time_zone) == times
        if is_on_time and child.marks.hash == meta["annotations"][HASH]:
            return
        own = meta["ownerReferences"][0]
        others = [
            to_builtins(each)
            for each in child.metadata.owner_references or ()
            if each.uid != own["uid"]
        ]
        change = [
            _put("/metadata/resourceVersion", child.metadata.resource_version),
            _put("/metadata/labels", meta.get("labels") or {}),
            _put("/metadata/annotations", meta["annotations"]),
            _put("/metadata/ownerReferences", [*others, own]),
            _put("/spec", spec),
        ]
        with _counted(self.metrics, UPDATE):
            new = await self.client.patch(CRON_JOB, child.name, json(change), self.key.namespace)
        self._wrote(new)

    async def _retire(self, child: Child) -> None:
        """Remove a CronJob that is of no use, but not the Jobs that it has under way."""
        meta = child.metadata
        if meta.deletion_timestamp:
            return
        if not child.active:
            with _counted(self.metrics, DELETE):
                deletion = Deletion(uid=meta.uid, propagation=BACKGROUND)
                await self._gone(self.client.delete(CRON_JOB, child.name, meta.namespace, deletion))
        elif not child.spec.suspend:
            change = {
                # Should it be wanted again, it will differ from what it is to be.
                "metadata": {
                    "resourceVersion": meta.resource_version,
                    "annotations": {HASH: None},
                },
                "spec": {"suspend": True},
            }
            with _counted(self.metrics, UPDATE):
                patch = merge(change)
                new = await self.client.patch(CRON_JOB, child.name, patch, meta.namespace)
            self._wrote(new)

    async def _start(self, wanted: Object, child: Child, course: Course) -> None:
        """Make the Jobs that the CronJob controller did not make, under the names it gives them."""
        for name in course.replaced:
            deletion = Deletion(propagation=BACKGROUND)
            await self._gone(self.client.delete(JOB, name, self.key.namespace, deletion))
        for each in course.starts:
            await self._make(job_of(wanted, child.metadata.uid, each.warm_up), each)

    async def _make(self, job: Object, occurrence: Occurrence) -> None:
        self.started.append(occurrence.warm_up)
        try:
            await self.client.create(JOB, job, self.key.namespace)
        except AlreadyExists:
            return  # that is what the names are for
        name = job["metadata"]["name"]
        text = f"Job {name} was started late, for the run of {format_time(occurrence.run)}"
        self.notes.append(Note(NORMAL, "StartedLate", text))
        logger.info("job started late", extra={"job": name})

    @staticmethod
    async def _gone(deleting: Awaitable[object]) -> None:
        with suppress(NotFound):
            await deleting

    def _wrote(self, child: Object) -> None:
        meta = child["metadata"]
        self.memory.wrote(self.key, meta["resourceVersion"], meta["name"])


@contextmanager
def _counted(metrics: Counting, action: str) -> Iterator[None]:
    """Count a write by how it ends."""
    try:
        yield
    except Exception:
        metrics.acted(action, is_good=False)
        raise
    metrics.acted(action, is_good=True)


def _put(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def _missed(count: int) -> str:
    return f"{'1 run was' if count == 1 else f'{count} runs were'} not warmed up for"
