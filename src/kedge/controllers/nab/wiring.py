"""What wakes whom: the controller of NonAdminBackups, put into a manager."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from kedge.api.nonadmin.stage import NonAdminPhase
from kedge.api.velero.labels import BACKUP_NAME
from kedge.client import Client, Selection
from kedge.controllers.nab import counts, positions, removal
from kedge.controllers.nab.controller import NAME, NabController
from kedge.controllers.nab.hands import Hands
from kedge.controllers.nab.heads import (
    BACKUPS,
    LOCATIONS,
    NABS,
    OWN_LOCATIONS,
    REQUESTS,
    VOLUMES,
    DeleteRequest,
    Location,
    Nab,
    VeleroBackup,
    Volume,
    read_standing,
)
from kedge.controllers.nab.positions import Positions, is_renumbered, key_of
from kedge.controllers.nab.removal import Removal
from kedge.controllers.nab.surroundings import NAMESPACES, Surroundings
from kedge.controllers.nab.uploads import Uploads
from kedge.kube.meta import Partial
from kedge.runtime import Cache, Change, Entry, Keeping, Key, Manager, On, mapped
from kedge.runtime.recording import Recording
from kedge.selfservice.finalizer import is_held
from kedge.selfservice.marks import NAB_FINALIZER, NABSL, Origin, origin_of
from kedge.selfservice.policies import CONFIG_MAP, Policies, policy_selection
from kedge.selfservice.policy import POLICY_NAME
from kedge.selfservice.publish import Line, Publishing
from kedge.selfservice.queue import Queue

OPEN: Final = "open"
"""The index of those that have no Velero Backup yet, by their namespace."""
ANYWHERE: Final = "*"
_OPEN: Final = ("", NonAdminPhase.NEW, NonAdminPhase.BACKING_OFF)


@dataclass(frozen=True, slots=True)
class NabSettings:
    """How NonAdminBackups are dealt with."""

    home: str = "velero"
    """The server's namespace, in which Velero Backups are made."""
    workers: int = 16
    """Reconciles at once: each waits for the API server most of its time."""
    publishing: Publishing = field(default_factory=Publishing)
    """How fast positions in the line are told."""
    other_engine: bool = False
    """Whether it is a Velero, and not this server, that runs the Backups."""


@dataclass(slots=True)
class Wakes:
    """From changes of all that counts to the keys of NonAdminBackups."""

    home: str
    nabs: Cache[Nab]
    backups: Cache[VeleroBackup]
    hands: Hands
    surroundings: Surroundings

    def itself(self, change: Change[Nab]) -> Iterable[Key]:
        """Wake an object, unless only its status has changed: that is our own work."""
        if change.new is not None:
            self.hands.saw(change.key, change.new.meta.resource_version)
        is_same = not change.moves_generation and _facts(change.old) == _facts(change.new)
        return () if is_same and not _is_let_go(change) else (change.key,)

    def origin(self, change: Change[VeleroBackup]) -> Iterable[Key]:
        """Wake whom a Velero Backup was made for."""
        found = (key_of(entry) for entry in (change.old, change.new) if entry is not None)
        keys = dict.fromkeys(key for key in found if key is not None)
        return () if not keys or is_renumbered(change) or self._is_told(change) else keys

    def _is_told(self, change: Change[VeleroBackup]) -> bool:
        if change.old is not None or change.new is None:
            return False
        return self.hands.is_old_news(change.key, change.new.meta.resource_version)

    def of_backup(self, name: str) -> Iterable[Key]:
        """Wake whom the Velero Backup of this name was made for."""
        entry = self.backups.entry(Key(self.home, name))
        key = key_of(entry) if entry is not None else None
        return () if key is None else (key,)

    def request(self, entry: Entry[DeleteRequest]) -> Iterable[Key]:
        """Wake whose Velero Backup is to be deleted."""
        return self.of_backup(entry.read().spec.backup_name)

    def volume(self, entry: Entry[Volume]) -> Iterable[Key]:
        """Wake whose volume is saved."""
        return self.of_backup(entry.labels.get(BACKUP_NAME, ""))

    def namespace(self, change: Change[Partial]) -> Iterable[Key]:
        """Wake all in a namespace that is being deleted."""
        old, new = change.old, change.new
        if new is None or new.meta.deletion_timestamp is None:
            return ()
        if old is not None and old.meta.deletion_timestamp is not None:
            return ()
        return [entry.key for entry in self.nabs.entries(change.key.name)]

    def policy(self, change: Change[Any]) -> Iterable[Key]:
        """Wake all that are still to be judged."""
        is_it = change.key.name == POLICY_NAME
        return [entry.key for entry in self.nabs.find(OPEN, ANYWHERE)] if is_it else ()

    def own_location(self, entry: Entry[Location]) -> Iterable[Key]:
        """Wake those of a namespace that are still to be judged."""
        return [one.key for one in self.nabs.find(OPEN, entry.key.namespace)]

    def location(self, change: Change[Location]) -> Iterable[Key]:
        """Wake those of the namespace that a location was made for, and whose Backup is there."""
        old, new = (_origin(entry) for entry in (change.old, change.new))
        spaces = dict.fromkeys(one.namespace for one in (old, new) if one is not None)
        found = [one.key for space in spaces for one in self.nabs.find(OPEN, space)]
        name = change.key.name
        if change.new is not None:
            found += self.surroundings.elsewhere(name)
        if change.old is not None and (change.new is None or old != new):
            found += self._kept_in(name)
        return found

    def _kept_in(self, location: str) -> Iterable[Key]:
        for entry in self.backups.entries():
            key = key_of(entry) if entry.read().location == location else None
            if key is not None:
                yield key


def _origin(entry: Entry[Location] | None) -> Origin | None:
    if entry is None:
        return None
    meta = entry.read().metadata
    return origin_of(NABSL, meta.labels, meta.annotations)


def _facts(entry: Entry[Nab] | None) -> object:
    if entry is None:
        return None
    return entry.meta.uid, entry.meta.deletion_timestamp, entry.meta.labels


def _is_let_go(change: Change[Nab]) -> bool:
    """Tell whether our finalizer was taken off, such as by who replaces an object as a whole."""
    old, new = change.old, change.new
    if old is None or new is None or is_held(new.data, NAB_FINALIZER):
        return False
    return is_held(old.data, NAB_FINALIZER)


def _open(entry: Entry[Nab]) -> Iterable[str]:
    status = read_standing(entry.data).status
    if status is None or status.phase in _OPEN:
        return (entry.key.namespace, ANYWHERE)
    return ()


def _label(entry: Entry[Volume]) -> Iterable[str]:
    name = entry.labels.get(BACKUP_NAME)
    return (name,) if name else ()


def add_to(
    manager: Manager, client: Client, recorder: Recording, settings: NabSettings
) -> NabController:
    """Have a manager run the controller."""
    home, clock = settings.home, manager.clock
    where = Selection(home)
    nabs = manager.cache(NABS, Keeping(indexes={OPEN: _open}))
    hands = Hands(nabs, clock)
    backups = manager.cache(BACKUPS, Keeping(where))
    requests = manager.cache(REQUESTS, Keeping(where, {removal.BACKUP: removal.by_backup}))
    policy = manager.cache(CONFIG_MAP, Keeping(policy_selection(home)))
    keeping = Keeping(where, {counts.BACKUP: _label})
    volumes = {counts.VOLUMES: manager.cache(VOLUMES, keeping)}
    surroundings = Surroundings(
        home,
        Policies(client, home, lambda: policy.get(Key(home, POLICY_NAME)), clock),
        manager.cache(OWN_LOCATIONS),
        manager.cache(LOCATIONS, Keeping(where)),
        manager.cache(NAMESPACES),
    )
    line = Line(Queue(by_name=settings.other_engine), settings.publishing)
    period = settings.publishing.period_seconds
    buckets = surroundings.buckets
    places = Positions(client, home, nabs, backups, line, hands, clock, period, buckets)
    controller = NabController(
        client,
        home,
        nabs,
        backups,
        volumes,
        Uploads(client, home, clock),
        surroundings,
        Removal(client, home, requests),
        places,
        hands,
        recorder,
        clock,
    )
    wakes = Wakes(home, nabs, backups, hands, surroundings)
    # The line hears first, so that who is woken by a change finds its place.
    telling = manager.control(positions.NAME, places.reconcile, [On(backups, places.hear)])
    places.wake_after = telling.queue.add_after
    watches = [
        On(nabs, wakes.itself),
        On(backups, wakes.origin),
        On(requests, mapped(wakes.request)),
        *(On(cache, mapped(wakes.volume)) for cache in volumes.values()),
        On(surroundings.namespaces, wakes.namespace),
        On(policy, wakes.policy),
        On(surroundings.own_locations, mapped(wakes.own_location)),
        On(surroundings.locations, wakes.location),
    ]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller
