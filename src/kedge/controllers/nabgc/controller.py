"""Wire the removal of orphans to the API: a round at the start, and one each period."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from kedge.aio.clock import Clock
from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.nonadmin.location import NON_ADMIN_LOCATION
from kedge.api.nonadmin.location_request import NON_ADMIN_LOCATION_REQUEST
from kedge.api.nonadmin.restore import NON_ADMIN_RESTORE
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.client import Client, Deletion, Selection
from kedge.controllers.nabgc.decide import (
    Head,
    Owner,
    Place,
    is_due,
    is_foreign,
    is_orphan,
    is_waiting,
    owners_of,
)
from kedge.kube.errors import Conflict, NotFound
from kedge.kube.kind import Kind, plain
from kedge.kube.meta import ObjectMeta, Partial
from kedge.runtime import Keeping, Key, Manager, On, Result
from kedge.runtime.events import NORMAL
from kedge.runtime.recording import Recording
from kedge.selfservice.marks import NAB, NABSL, NAR, SELECTOR, Mark, origin_of
from kedge.selfservice.nab import NABS
from kedge.selfservice.policies import CONFIG_MAP, Policies, policy_selection
from kedge.selfservice.policy import POLICY_NAME

logger = logging.getLogger(__name__)

NAME: Final = "nonadminbackup-gc"
ROUND: Final = Key("", "round")
"""All is looked at at once."""
SECRETS: Final = plain("v1", "Secret", "secrets")
LOOK_SECONDS: Final = 60.0
"""So often it is seen whether the policy says something else about the period."""
Scan = tuple[Mark, Kind[Any], tuple[Kind[Any], ...]]
SCANS: Final[tuple[Scan, ...]] = (
    (NAB, NON_ADMIN_BACKUP, (BACKUP.into(Head),)),
    (NAR, NON_ADMIN_RESTORE, (RESTORE,)),
    (
        NABSL,
        NON_ADMIN_LOCATION,
        # A request is what its location waits for: it goes with it, and never before.
        (BACKUP_STORAGE_LOCATION, SECRETS, NON_ADMIN_LOCATION_REQUEST),
    ),
)
"""Marks, the kinds that they lead to, and the kinds that bear them."""


@dataclass(frozen=True, slots=True)
class NabGcSettings:
    """How orphans are removed; how often is said by the policy."""

    home: str = "velero"
    """The server's namespace, in which they are."""


@dataclass(slots=True)
class NabGcController:
    """Deletes what was made for objects that are gone."""

    client: Client
    home: str
    policies: Policies
    recorder: Recording
    clock: Clock
    _last: float | None = None
    """When the last round was."""

    async def reconcile(self, key: Key) -> Result:
        """Make a round, if one is due."""
        policy = await self.policies.current()
        period = policy.gc_period
        if policy.problems or period is None:
            return Result(after_seconds=LOOK_SECONDS)
        now = self.clock.monotonic()
        if is_due(self._last, period, now):
            for scan in SCANS:
                await self._scan(scan, policy.sync_period)
            self._last = now
        rest = period.total_seconds() - (now - (self._last or 0.0))
        return Result(after_seconds=min(max(1.0, rest), LOOK_SECONDS))

    async def _scan(self, scan: Scan, sync_period: timedelta | None) -> None:
        """Find what bears a mark first, and then whom it leads to, who came before it."""
        mark, owning, kinds = scan
        where = Selection(self.home, labels=SELECTOR)
        found: list[tuple[Kind[Any], Head | Partial]] = []
        for kind in kinds:
            read = kind if kind.model is Head else kind.partial
            found += [(kind, one) async for one in self.client.list(read, where)]
        if not found:
            return
        owners = owners_of([one async for one in self.client.list(owning.partial)])
        places = await self._locations() if mark is NAB else {}
        for kind, one in found:
            is_kept = is_waiting(one, sync_period, self.clock.now())
            if not is_orphan(mark, one, owners) or is_kept or is_foreign(mark, one, places):
                continue
            if mark is not NAB or not await self._is_taken(one, owners):
                await self._remove(kind, one)

    async def _is_taken(self, one: Head | Partial, owners: Mapping[Place, Owner]) -> bool:
        """Ask whether a Velero Backup is that of a namesake of the object it was made for."""
        origin = origin_of(NAB, one.metadata.labels, one.metadata.annotations)
        if origin is None or (origin.namespace, origin.name) not in owners:
            return False
        try:
            nab = await self.client.get(NABS, origin.name, origin.namespace)
        except NotFound:
            return False
        return nab.has_taken(one.metadata.name)

    async def _locations(self) -> dict[str, ObjectMeta]:
        found = self.client.list(BACKUP_STORAGE_LOCATION.partial, Selection(self.home))
        return {one.metadata.name: one.metadata async for one in found}

    async def _remove(self, kind: Kind[Any], one: Head | Partial) -> None:
        """Delete one object, unless it has changed since it was looked at."""
        meta = one.metadata
        deletion = Deletion(uid=meta.uid, resource_version=meta.resource_version)
        with suppress(NotFound, Conflict):  # gone, or to be looked at again in the next round
            await self.client.delete(kind, meta.name, meta.namespace, deletion)
            logger.info("an orphan is removed", extra={"kind": str(kind), "object": meta.name})
            text = (
                "it was made for an object that is gone: it is deleted, the bucket is not touched"
            )
            self.recorder.record(one, NORMAL, "OrphanRemoved", text, kind=kind)


def add_to(
    manager: Manager, client: Client, recorder: Recording, settings: NabGcSettings
) -> NabGcController:
    """Have a manager run the controller."""
    home, clock = settings.home, manager.clock
    policy = manager.cache(CONFIG_MAP, Keeping(policy_selection(home)))
    policies = Policies(client, home, lambda: policy.get(Key(home, POLICY_NAME)), clock)
    controller = NabGcController(client, home, policies, recorder, clock)
    running = manager.control(NAME, controller.reconcile, [On(policy, lambda _: (ROUND,))])
    running.queue.add(ROUND)
    return controller
