"""Wire the synchronizer to the API: a round at the start, and one each period."""

import logging
from dataclasses import dataclass
from typing import Final

import msgspec

from kedge.aio.clock import Clock
from kedge.client import Client, Selection
from kedge.controllers.nabsync.decide import (
    Bucket,
    Candidate,
    buckets_of,
    candidate_of,
    nab_for,
)
from kedge.controllers.nabsync.heads import (
    BACKUPS,
    LOCATIONS,
    NABSLS,
    NAMESPACES,
    BackupHead,
    LocationHead,
    Made,
)
from kedge.kube.errors import AlreadyExists, BadRequest, Forbidden, Invalid, NotFound
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.kube.meta import Partial
from kedge.runtime import Cache, Keeping, Key, Manager, On, Result
from kedge.runtime.events import NORMAL
from kedge.runtime.recording import Recording
from kedge.selfservice.nab import NABS, Nab
from kedge.selfservice.policies import CONFIG_MAP, Policies, policy_selection
from kedge.selfservice.policy import POLICY_NAME

logger = logging.getLogger(__name__)

NAME: Final = "nonadminbackup-sync"
ROUND: Final = Key("", "round")
"""All is looked at at once."""
LOOK_SECONDS: Final = 60.0
"""So often it is seen whether the policy says something else about the period."""


@dataclass(frozen=True, slots=True)
class NabSyncSettings:
    """How Velero Backups come back to their users; how often is said by the policy."""

    home: str = "velero"
    """The server's namespace, in which Velero Backups are."""


@dataclass(slots=True)
class Sights:
    """All that a round looks at."""

    backups: Cache[BackupHead]
    locations: Cache[LocationHead]
    nabs: Cache[Nab]
    nabsls: Cache[Partial]
    namespaces: Cache[Partial]

    def buckets(self) -> dict[str, Bucket]:
        """Give the locations that count."""
        entries = list(self.nabsls.entries())
        owners = {(one.key.namespace, one.key.name): one.read() for one in entries}
        return buckets_of([entry.read() for entry in self.locations.entries()], owners)

    def candidates(self) -> list[Candidate]:
        """Give the Backups that are to have a NonAdminBackup, the newest of each first."""
        buckets, found = self.buckets(), []
        for entry in self.backups.entries():
            backup = entry.read()
            one = candidate_of(backup, buckets)
            if one is not None and self._is_wanted(one):
                ended = backup.status.completion_timestamp if backup.status else None
                found.append((ended or "", one.backup, one))
        newest: dict[Key, Candidate] = {}
        for _, _, one in sorted(found, key=lambda each: each[:2]):
            newest[Key(one.namespace, one.name)] = one
        return list(newest.values())

    def _is_wanted(self, one: Candidate) -> bool:
        namespace = self.namespaces.entry(Key("", one.namespace))
        if namespace is None or namespace.meta.deletion_timestamp is not None:
            return False
        return Key(one.namespace, one.name) not in self.nabs


@dataclass(slots=True)
class NabSyncController:
    """Makes a NonAdminBackup for each Velero Backup of a user's that has none."""

    client: Client
    home: str
    sights: Sights
    policies: Policies
    recorder: Recording
    clock: Clock
    _last: float | None = None
    """When the last round was."""

    async def reconcile(self, key: Key) -> Result:
        """Make a round, if one is due."""
        policy = await self.policies.current()
        if policy.problems or policy.sync_period is None:
            return Result(after_seconds=LOOK_SECONDS)
        period, now = policy.sync_period.total_seconds(), self.clock.monotonic()
        if self._last is None or now - self._last >= period:
            for one in self.sights.candidates():
                await self._sync(one)
            self._last = now
        rest = period - (now - self._last)
        return Result(after_seconds=min(max(1.0, rest), LOOK_SECONDS))

    async def _sync(self, one: Candidate) -> None:
        """Make one NonAdminBackup; what the server refuses is left, and the others go on."""
        spec = await self._spec(one)
        if spec is None:
            return
        made = msgspec.convert(nab_for(one, spec), Made)
        facts = {"backup": one.backup, "nab": f"{one.namespace}/{one.name}"}
        try:
            new = await self.client.create(NABS.into(Made), made)
        except AlreadyExists:
            return
        except (Invalid, Forbidden, BadRequest, NotFound) as exc:
            logger.warning(
                "a backup can not be given back", extra={**facts, "error": cut(str(exc))}
            )
            return
        logger.info("a backup is given back", extra=facts)
        text = f"it was made for the Velero Backup {one.backup}, which is in the bucket"
        self.recorder.record(new, NORMAL, "Synced", text, kind=NABS)

    async def _spec(self, one: Candidate) -> Object | None:
        """Read a Velero Backup; None where it is gone, or is going: its user has deleted it."""
        try:
            found = await self.client.get(BACKUPS.into(dict), one.backup, self.home)
        except NotFound:
            return None
        meta = found["metadata"]
        if meta.get("uid") != one.uid or meta.get("deletionTimestamp"):
            return None
        spec: Object = found.get("spec") or {}
        return spec


def add_to(
    manager: Manager, client: Client, recorder: Recording, settings: NabSyncSettings
) -> NabSyncController:
    """Have a manager run the controller."""
    home, clock = settings.home, manager.clock
    where = Selection(home)
    policy = manager.cache(CONFIG_MAP, Keeping(policy_selection(home)))
    sights = Sights(
        manager.cache(BACKUPS, Keeping(where)),
        manager.cache(LOCATIONS, Keeping(where)),
        manager.cache(NABS),
        manager.cache(NABSLS),
        manager.cache(NAMESPACES),
    )
    policies = Policies(client, home, lambda: policy.get(Key(home, POLICY_NAME)), clock)
    controller = NabSyncController(client, home, sights, policies, recorder, clock)
    running = manager.control(NAME, controller.reconcile, [On(policy, lambda _: (ROUND,))])
    running.queue.add(ROUND)
    return controller
