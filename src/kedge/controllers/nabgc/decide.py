"""What has lost its origin. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from kedge.kube.meta import ObjectMeta, Partial
from kedge.kube.times import TimeError, parse_time
from kedge.selfservice.buckets import Buckets
from kedge.selfservice.marks import Mark, Origin, is_nacuuid, origin_of, synced_from

Place = tuple[str, str]
"""Namespace and name."""


class Ended(msgspec.Struct, rename="camel", frozen=True):
    """Of the status of a Velero Backup, when it was done."""

    completion_timestamp: str | None = None


class Kept(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec of a Velero Backup, where it is kept."""

    storage_location: str = ""


class Head(msgspec.Struct, frozen=True):
    """Of something that was made for an object, all that is looked at."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    status: Ended | None = None
    spec: Kept | None = None


@dataclass(frozen=True, slots=True)
class Owner:
    """An object that others may have been made for."""

    uid: str
    synced_from: str = ""
    """The Velero Backup that it was made for, not that for it."""

    def has(self, origin: Origin, name: str) -> bool:
        """Tell whether something of this origin and name is its own."""
        if not origin.uid or origin.uid == self.uid:
            return True
        return bool(name) and self.synced_from == name


def owners_of(found: Iterable[Partial]) -> dict[Place, Owner]:
    """Note all objects of a kind by their places."""
    return {
        (one.metadata.namespace, one.metadata.name): Owner(
            one.metadata.uid, synced_from(one.metadata.labels)
        )
        for one in found
    }


def is_orphan(mark: Mark, one: Head | Partial, owners: Mapping[Place, Owner]) -> bool:
    """Tell whether something was made for an object that is not there any more.

    What does not say so in full is left alone, and so is what is going already.
    """
    meta = one.metadata
    origin = origin_of(mark, meta.labels, meta.annotations)
    if origin is None or not is_nacuuid(origin.nacuuid) or meta.deletion_timestamp:
        return False
    owner = owners.get((origin.namespace, origin.name))
    return owner is None or not owner.has(origin, meta.name)


def is_foreign(mark: Mark, one: Head | Partial, locations: Mapping[str, ObjectMeta]) -> bool:
    """Tell whether a Velero Backup is in the bucket of others than it names: it is theirs."""
    location = one.spec.storage_location if isinstance(one, Head) and one.spec else ""
    origin = origin_of(mark, one.metadata.labels, one.metadata.annotations)
    namespace = origin.namespace if origin is not None else ""
    return not Buckets(locations.get).holds(location, namespace, is_proven=True)


def is_waiting(one: Head | Partial, sync_period: timedelta | None, now: datetime) -> bool:
    """Tell whether a Velero Backup may just have come from a bucket, and its owner comes next."""
    is_whole = isinstance(one, Head) and one.status and one.status.completion_timestamp
    if not is_whole or sync_period is None:
        return False
    try:
        came = parse_time(one.metadata.creation_timestamp or "")
    except TimeError:
        return False
    return now - came < 2 * sync_period


def is_due(last: float | None, period: timedelta, now: float) -> bool:
    """Tell whether a round is due; times are those of a clock that is never set."""
    return last is None or now - last >= period.total_seconds()
