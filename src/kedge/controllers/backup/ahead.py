"""What is done for a Backup shortly before it may start: when its turn has come, others wait.

While the one before it ends, the spec of the next is filled in, so that its start takes one write
less. What is filled in is what holds at this moment, and the start may come later than was thought.
So it is not taken for what was asked for: the start fills in once more what was left open.
"""

from asyncio import Future, get_running_loop
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from kedge.aio.clock import Clock
from kedge.aio.together import together
from kedge.api.velero.backup import BackupPhase
from kedge.client import Client, ClientError
from kedge.client.patches import merge
from kedge.controllers.backup.decide import Facts, Prepared, prepare
from kedge.controllers.backup.facts import Finder, with_policies
from kedge.controllers.backup.held import BACKUPS
from kedge.controllers.backup.settings import BackupSettings
from kedge.kube.errors import ApiError
from kedge.kube.kind import Object
from kedge.runtime import Key
from kedge.runtime.relay import Relay

FRESH_SECONDS: Final = 1.0
"""So old may be at a start what was found out ahead of it, but never older than the Backup."""


@dataclass(slots=True)
class Ahead:
    """Prepares Backups, those that are about to be started as well as those that are."""

    client: Client
    finder: Finder
    settings: BackupSettings
    clock: Clock
    written: Relay
    """Tells of each write to a Backup."""
    _arrived: dict[Key, float] = field(default_factory=dict)
    """When Backups that are to come were first seen."""
    _found: dict[str, tuple[float, Future[Facts | None]]] = field(default_factory=dict)
    """What was found out last in a namespace, and when that was begun; None: nothing."""
    _filled: dict[Key, tuple[Object, Object]] = field(default_factory=dict)
    """Specs as they were asked for, and as they were filled in."""

    def arrived(self, key: Key) -> None:
        """Take note of a Backup that is to come."""
        self._arrived[key] = self.clock.monotonic()

    async def look(self, key: Key) -> Facts | None:
        """Find out what the start of a Backup needs, unless that is known; None: in vain."""
        now = self.clock.monotonic()
        least = max(self._arrived.setdefault(key, now), now - FRESH_SECONDS)
        began, found = self._found.get(key.namespace, (float("-inf"), None))
        if found is not None and began >= least:
            return await found
        found = get_running_loop().create_future()
        self._found[key.namespace] = (now, found)
        facts = None
        try:
            with suppress(ApiError, ClientError):
                facts = await self.finder.at_hand(key.namespace)
        finally:
            if not found.done():  # who waits for it may have been cancelled
                found.set_result(facts)
        return facts

    async def fill(self, key: Key) -> None:
        """Fill in the spec of a Backup that will be the next; where that fails, its start does."""
        with suppress(ApiError, ClientError):
            await self._fill(key)

    def forget(self, key: Key) -> None:
        """Know nothing of a Backup."""
        self._arrived.pop(key, None)
        self._filled.pop(key, None)

    async def facts(self, key: Key) -> Facts:
        """Give what the start of a Backup needs; raises what may be another answer next time."""
        facts = await self.look(key) or await self.finder.at_hand(key.namespace)
        return self.finder.known(key.namespace, facts)

    async def prepare(self, obj: Object, facts: Facts) -> Prepared:
        """Make a Backup ready to run, or find out what is wrong with it."""
        facts = await with_policies(self.client, obj, facts)
        return prepare(self._asked(obj), facts, self.settings, self.clock.now())

    async def _fill(self, key: Key) -> None:
        obj: Object
        obj, found = await together(
            self.client.get(BACKUPS, key.name, key.namespace), self.look(key)
        )
        if found is None or not _is_waiting(obj):
            return
        facts = self.finder.known(key.namespace, found)
        if facts.left_out:
            return  # which namespaces labels leave out may be another matter when it starts
        prepared = await self.prepare(obj, facts)
        change = prepared.change(obj)
        if prepared.problems or not change:
            return
        metadata = change.setdefault("metadata", {})
        metadata["resourceVersion"] = obj["metadata"]["resourceVersion"]
        asked = self._asked(obj).get("spec") or {}
        new = await self.client.patch(BACKUPS, key.name, merge(change), key.namespace)
        self._filled[key] = (asked, new["spec"])
        self.written.tell(new)

    def _asked(self, obj: Object) -> Object:
        """Give a Backup as it was asked for, if it is as it was filled in."""
        key = Key(obj["metadata"]["namespace"], obj["metadata"]["name"])
        asked, filled = self._filled.get(key, (None, None))
        return {**obj, "spec": asked} if filled is not None and obj.get("spec") == filled else obj


def _is_waiting(obj: Object) -> bool:
    is_queued = (obj.get("status") or {}).get("phase") == BackupPhase.QUEUED
    return is_queued and not obj["metadata"].get("deletionTimestamp")
