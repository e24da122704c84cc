"""All that can become of a run, in one cluster: what crashes and faults are tried on."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from kedge.aio.clock import SystemClock
from kedge.controllers.schedule.controller import ScheduleSettings
from kedge.kube.kind import Object
from kedge.testing import Client, Cluster, crash
from kedge.testing.clock import START
from kedge.testing.state import state_of
from tests.integration.controllers.harbour import (
    BACKUPS,
    SCHEDULES,
    Events,
    controlling,
    manifest,
    prepared,
)

ONE_BY_ONE = ScheduleSettings(workers=1)
BLOCKER = "blocked-20300101010000"
PAUSED = {"type": "Paused", "status": "True", "reason": "Paused", "message": "it is paused"}
EXPECTED = {
    "first": ["first-20300101030000"],
    "taken": ["taken-20300101030000", "taken-20300101030000-1"],
    "skipping": [],
    "unpaused": [],
    "blocked": [BLOCKER, "blocked-20300101030000"],
    "missing": [],
    "bad": [],
    "held": [],
}


class Shifted(SystemClock):
    """The real clock, at another time of day: what waits does so in real time."""

    def __init__(self) -> None:
        """Begin where virtual time begins."""
        self._shift = START - super().now()

    def now(self) -> datetime:
        """Return the present instant of this clock."""
        return super().now() + self._shift

    def advance(self, by: timedelta) -> None:
        """Move on."""
        self._shift += by


@dataclass
class Voyage:
    """A scenario: each cluster has a clock of its own."""

    kinds: Sequence[Object]
    has_subresource: bool
    clock: Shifted = field(default_factory=Shifted)
    events: Events = field(default_factory=Events)

    def scenario(self) -> crash.Scenario:
        """Give it as the crash harness takes it."""
        return crash.Scenario(
            self.start, self.prepare, self.is_settled, self.end_state, self.cluster
        )

    @asynccontextmanager
    async def cluster(self) -> AsyncIterator[Cluster]:
        """Make a cluster at midnight."""
        self.clock = Shifted()
        async with prepared(self.clock, self.kinds) as kube:
            yield kube

    def start(self, url: str) -> AbstractAsyncContextManager[object]:
        """Run the controller."""
        return controlling(url, self.clock, self.events, ONE_BY_ONE)

    async def prepare(self, client: Client) -> None:
        """Make the schedules, and go on to some minutes after three."""
        skip = {"annotations": {"kedge.dev/missed-runs": "skip"}}
        was_paused = {"annotations": {"kedge.dev/was-paused": "true"}}
        for one in (
            manifest("first", "@hourly"),
            manifest("taken", "@hourly"),
            manifest("skipping", "@hourly", None, {"skipImmediately": True}),
            manifest("unpaused", "@hourly", was_paused, {"skipImmediately": True}),
            manifest("blocked", "@hourly"),
            manifest("missing", "@hourly", skip),
            manifest("bad", "61 * * * *"),
            manifest("held", "@hourly", None, {"paused": True}),
        ):
            await client.create(SCHEDULES, one)
        unpaused = {"phase": "Enabled", "conditions": [{**PAUSED, "lastTransitionTime": TIME}]}
        await self._write(client, f"{SCHEDULES}/unpaused", unpaused)
        await self._write(client, f"{SCHEDULES}/blocked", {"lastBackup": "2030-01-01T01:00:00Z"})
        await client.create(BACKUPS, backup(BLOCKER, "blocked", "2030-01-01T01:00:00Z"))
        await client.create(BACKUPS, backup("taken-20300101030000", "taken"))
        await self._write(client, f"{BACKUPS}/taken-20300101030000", {"phase": "Completed"})
        self.clock.advance(timedelta(hours=3, minutes=5))

    async def is_settled(self, client: Client) -> bool:
        """Tell whether all is done; end what blocks once it was seen to do so."""
        found = {one["metadata"]["name"]: one for one in await items(client, SCHEDULES)}
        statuses = {name: one.get("status", {}) for name, one in found.items()}
        backups = await items(client, BACKUPS)
        if statuses["blocked"].get("phase") and not any(is_done(BLOCKER, one) for one in backups):
            await self._write(client, f"{BACKUPS}/{BLOCKER}", {"phase": "Completed"})
            return False
        is_said = all(one.get("phase") for one in statuses.values())
        skips = ("skipping", "unpaused", "missing")
        is_skipped = all("lastSkipped" in statuses[name] for name in skips)
        is_clear = all("skipImmediately" not in one["spec"] for one in found.values())
        lasts = [statuses[name].get("lastBackup", "") for name in ("first", "taken", "blocked")]
        is_run = min(lasts) > "2030-01-01T03"
        return is_said and is_skipped and is_clear and is_run and self._is_marked(found)

    async def end_state(self, client: Client) -> Any:
        """Read what is to be the same."""
        found = await state_of(client, SCHEDULES, BACKUPS)
        if not self.has_subresource:
            for one in found:
                one["metadata"].pop("generation")  # there it counts writes of the status, too
        return found

    def _is_marked(self, found: dict[str, Object]) -> bool:
        if self.has_subresource:
            return all(
                one["status"].get("observedGeneration") == one["metadata"]["generation"]
                for one in found.values()
            )
        marked = {
            name
            for name, one in found.items()
            if "kedge.dev/was-paused" in one["metadata"].get("annotations", {})
        }
        return marked == {"held"}

    async def _write(self, client: Client, path: str, status: Object) -> None:
        place = f"{path}/status" if self.has_subresource else path
        await client.patch(place, {"status": status})


TIME = "2030-01-01T00:00:00Z"


def backup(name: str, schedule: str, due: str = "") -> Object:
    """Write a Backup of a schedule; without an instant, one that was made by hand."""
    annotations = {"kedge.dev/due": due} if due else {}
    labels = {"velero.io/schedule-name": schedule}
    metadata = {"name": name, "labels": labels, "annotations": annotations}
    return {"apiVersion": "velero.io/v1", "kind": "Backup", "metadata": metadata, "spec": {}}


async def items(client: Client, path: str) -> list[Object]:
    """List a collection."""
    found: list[Object] = (await client.get(path))["items"]
    return found


def is_done(name: str, one: Object) -> bool:
    """Tell whether this is the Backup of that name, and completed."""
    is_completed: bool = one.get("status", {}).get("phase") == "Completed"
    return one["metadata"]["name"] == name and is_completed


def backups_of(state: Sequence[Object]) -> dict[str, list[str]]:
    """Give the names of the Backups of each schedule."""
    made: dict[str, list[str]] = {name: [] for name in EXPECTED}
    for one in state:
        if one["kind"] == "Backup":
            owner = one["metadata"]["labels"]["velero.io/schedule-name"]
            made[owner].append(one["metadata"]["name"])
    return {name: sorted(found) for name, found in made.items()}
