"""Which Velero Backups get a NonAdminBackup. Pure.

A bucket of a user's is a user's own work: what lies in it may name anybody as its origin. So a
Backup counts only for the namespace that its location was made for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kedge.controllers.nabsync.heads import BackupHead, LocationHead
from kedge.kube.kind import Object
from kedge.kube.meta import Partial
from kedge.kube.names import dns_label, subdomain_name
from kedge.selfservice.marks import NAB, NABSL, SYNCED_FROM, is_marked, is_nacuuid, origin_of

PREFIX_LIMIT: Final = 25
"""So much of a namespace is at the front of the name of what is made for it."""
Place = tuple[str, str]
"""Namespace and name."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A location whose Backups are looked at."""

    namespace: str = ""
    """Whose it is; empty: the administrator's, for all namespaces."""
    name: str = ""
    """The NonAdminBackupStorageLocation that it was made for."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A Velero Backup that is to have a NonAdminBackup."""

    backup: str
    uid: str
    namespace: str
    name: str
    location: str
    """The NonAdminBackupStorageLocation that it is kept in; empty: the administrator's."""


def buckets_of(
    locations: Iterable[LocationHead], owners: Mapping[Place, Partial]
) -> dict[str, Bucket]:
    """Give the locations that count: the default ones, and those whose owner is there."""
    found = {}
    for one in locations:
        meta = one.metadata
        origin = origin_of(NABSL, meta.labels, meta.annotations)
        if origin is None:
            if one.spec.default and not is_marked(NABSL, meta.labels, meta.annotations):
                found[meta.name] = Bucket()
            continue
        owner = owners.get((origin.namespace, origin.name))
        if owner is None or owner.metadata.deletion_timestamp:
            continue
        if origin.is_of(origin.namespace, origin.name, meta.name, owner.metadata.uid):
            found[meta.name] = Bucket(origin.namespace, origin.name)
    return found


def candidate_of(backup: BackupHead, buckets: Mapping[str, Bucket]) -> Candidate | None:
    """Say for whom a Velero Backup counts; None: for nobody, or it is not whole."""
    meta = backup.metadata
    origin = origin_of(NAB, meta.labels, meta.annotations)
    bucket = buckets.get(backup.spec.storage_location)
    is_done = backup.status is not None and backup.status.completion_timestamp
    if origin is None or bucket is None or not is_done or meta.deletion_timestamp:
        return None
    if bucket.namespace and bucket.namespace != origin.namespace:
        return None
    if not _is_sound(meta.name, origin.nacuuid, origin.namespace, origin.name):
        return None
    if backup.spec.included_namespaces != [origin.namespace]:
        return None
    return Candidate(meta.name, meta.uid, origin.namespace, origin.name, bucket.name)


def nab_for(candidate: Candidate, spec: Object) -> Object:
    """Write the NonAdminBackup of a Velero Backup."""
    made = {name: value for name, value in spec.items() if value is not None}
    made.pop("storageLocation", None)
    if candidate.location:
        made["storageLocation"] = candidate.location
    return {
        "metadata": {
            "name": candidate.name,
            "namespace": candidate.namespace,
            "labels": {SYNCED_FROM: candidate.backup},
        },
        "spec": {"backupSpec": made},
    }


def _is_sound(backup: str, nacuuid: str, namespace: str, name: str) -> bool:
    """Tell whether names fit together as they do in what is made here."""
    is_named = is_nacuuid(backup) and backup == nacuuid
    front = namespace[:PREFIX_LIMIT].rstrip(".-")
    is_valid = not dns_label(namespace) and not subdomain_name(name)
    return is_named and is_valid and backup.startswith(f"{front}-")
