"""What wakes whom: the controller of users' locations, put into a manager."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from kedge.client import Client, Selection
from kedge.controllers.nabsl.controller import NAME, NabslController
from kedge.controllers.nabsl.heads import (
    LOCATIONS,
    NABSLS,
    REQUESTS,
    SECRET_HEADS,
    Nabsl,
    Request,
    origin,
    secret_name,
)
from kedge.controllers.nabsl.making import Making
from kedge.controllers.nabsl.removal import Removal
from kedge.runtime import Cache, Change, Entry, Keeping, Key, Manager, On, mapped
from kedge.runtime.recording import Recording
from kedge.selfservice.finalizer import is_held
from kedge.selfservice.marks import NABSL_FINALIZER
from kedge.selfservice.nab import NABS
from kedge.selfservice.policies import CONFIG_MAP, Policies, policy_selection
from kedge.selfservice.policy import POLICY_NAME

SECRET: Final = "secret"
"""The index of those that need a Secret, by its namespace and name."""


@dataclass(frozen=True, slots=True)
class NabslSettings:
    """How the buckets of people are dealt with."""

    home: str = "velero"
    """The server's namespace, in which BackupStorageLocations are made."""
    workers: int = 2
    backup_sync_period: timedelta = timedelta(minutes=1)
    """How often the server looks into a bucket that does not say it."""


@dataclass(slots=True)
class Wakes:
    """From changes of all that counts to the keys of users' locations."""

    home: str
    nabsls: Cache[Nabsl]
    requests: Cache[Request]

    def itself(self, change: Change[Nabsl]) -> Iterable[Key]:
        """Wake an object, unless only its status has changed: that is our own work."""
        is_same = not change.moves_generation and _facts(change.old) == _facts(change.new)
        return () if is_same else (change.key,)

    def origin(self, entry: Entry[Any]) -> Iterable[Key]:
        """Wake whom an object of the server's namespace was made for."""
        if entry.key.namespace != self.home:
            return ()
        found = origin(entry.read().metadata)
        return () if found is None else (Key(found.namespace, found.name),)

    def users(self, entry: Entry[Any]) -> Iterable[Key]:
        """Wake those that need a Secret: by what they say, and by what they said at first."""
        place = str(entry.key)
        found = [one.key for one in self.nabsls.find(SECRET, place)]
        for one in self.requests.find(SECRET, place):
            found.extend(self.origin(one))
        return found

    def policy(self, change: Change[Any]) -> Iterable[Key]:
        """Wake all."""
        return self.nabsls.keys() if change.key.name == POLICY_NAME else ()


def _facts(entry: Entry[Nabsl] | None) -> object:
    if entry is None:
        return None
    # Who replaces an object as a whole takes our finalizer off.
    return entry.meta.uid, entry.meta.deletion_timestamp, is_held(entry.data, NABSL_FINALIZER)


def _named(entry: Entry[Nabsl]) -> Iterable[str]:
    name = secret_name(entry.read().location_spec)
    return (str(Key(entry.key.namespace, name)),) if name else ()


def _requested(entry: Entry[Request]) -> Iterable[str]:
    source = entry.read().source
    name, namespace = secret_name(source.get("requestedSpec")), source.get("namespace")
    return (str(Key(namespace, name)),) if name and namespace else ()


def add_to(
    manager: Manager, client: Client, recorder: Recording, settings: NabslSettings
) -> NabslController:
    """Have a manager run the controller."""
    home, clock = settings.home, manager.clock
    where = Selection(home)
    nabsls = manager.cache(NABSLS, Keeping(indexes={SECRET: _named}))
    requests = manager.cache(REQUESTS, Keeping(where, {SECRET: _requested}))
    locations = manager.cache(LOCATIONS, Keeping(where))
    secrets = manager.cache(SECRET_HEADS)
    policy = manager.cache(CONFIG_MAP, Keeping(policy_selection(home)))
    controller = NabslController(
        client,
        home,
        requests,
        Making(client, home, secrets, locations),
        Removal(client, home, manager.cache(NABS)),
        Policies(client, home, lambda: policy.get(Key(home, POLICY_NAME)), clock),
        recorder,
        clock,
        settings.backup_sync_period,
    )
    wakes = Wakes(home, nabsls, requests)
    watches = [
        On(nabsls, wakes.itself),
        On(requests, mapped(wakes.origin)),
        On(locations, mapped(wakes.origin)),
        On(secrets, mapped(wakes.origin)),
        On(secrets, mapped(wakes.users)),
        On(policy, wakes.policy),
    ]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller
