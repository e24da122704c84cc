"""A Backup that was found in a bucket, made into one of this cluster. Pure; it is not trusted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from kedge.api.plain import from_plain, without_nulls
from kedge.api.velero.backup import BACKUP, BackupPhase
from kedge.api.velero.labels import STORAGE_LOCATION, valid_name
from kedge.api.velero.synced import SYNCED_FROM, synced_mark
from kedge.kube.gotext import quote
from kedge.kube.kind import Object
from kedge.kube.times import TimeError, parse_time
from kedge.selfservice.marks import NAB, annotations_for, labels_for, origin_of
from kedge.selfservice.nacuuid import can_be_of

ENDED: Final = (BackupPhase.COMPLETED, BackupPhase.PARTIALLY_FAILED, BackupPhase.FAILED)
UNDER_WAY: Final = (
    BackupPhase.WAITING,
    BackupPhase.WAITING_PARTIALLY_FAILED,
    BackupPhase.FINALIZING,
    BackupPhase.FINALIZING_PARTIALLY_FAILED,
)
"""Its server still works on it; should it have died, the Backup is taken in when it has expired."""
TIMES: Final = ("expiration", "startTimestamp", "completionTimestamp")
SHOWN: Final = 128


class Unfit(Exception):
    """What was found can not be taken in, and why."""


class NotYet(Exception):
    """What was found is still being made."""


@dataclass(frozen=True, slots=True)
class Home:
    """Where a Backup comes to, and from where."""

    namespace: str
    location: str
    tenant: str = ""
    """The namespace of the people whose bucket it is; empty: it is the administrator's."""


def read_found(found: Object, name: str) -> Object:
    """Check what was found under a name; gives it without nulls, or raises Unfit."""
    if found.get("apiVersion") != BACKUP.api_version or found.get("kind") != BACKUP.name:
        kind = f"{found.get('apiVersion')}/{found.get('kind')}"
        raise Unfit(f"it is no {BACKUP.api_version} Backup, but says to be {_shown(kind)}")
    try:
        clean: Object = without_nulls(found)
        backup = from_plain(BACKUP, clean)
    except msgspec.ValidationError as exc:
        raise Unfit(f"it does not fit a Backup: {str(exc)[:SHOWN]}") from exc
    except RecursionError as exc:
        raise Unfit("it is nested too deeply") from exc
    if backup.metadata.name != name:
        raise Unfit(f"it is of a Backup with another name: {_shown(backup.metadata.name)}")
    _check_times(clean.get("status") or {})
    return clean


def schedules_of(found: Object) -> list[str]:
    """Name the Schedules that a Backup says to belong to."""
    return [one["name"] for one in _owners(found) if _is_schedule(one)]


def adopt(found: Object, home: Home, schedules: Mapping[str, str], now: datetime) -> Object:
    """Make the Backup of this cluster; raises Unfit, and NotYet.

    The Schedules of this cluster are given by their uids; what belongs to none of them would be
    deleted with its owner, who does not exist.
    """
    if home.tenant:
        found = {**found, "metadata": _theirs(found["metadata"], home.tenant)}
    meta = found["metadata"]
    status = _status(found.get("status") or {}, now)
    owners = [
        one
        for one in _owners(found)
        if _is_schedule(one) and one.get("uid") and schedules.get(one["name"]) == one["uid"]
    ]
    mark = synced_mark(home.location, meta["name"])
    metadata: Object = {
        "name": meta["name"],
        "namespace": home.namespace,
        "labels": {**meta.get("labels", {}), STORAGE_LOCATION: valid_name(home.location)},
        "annotations": {**meta.get("annotations", {}), SYNCED_FROM: mark},
    }
    if owners:
        metadata["ownerReferences"] = owners
    return {
        "apiVersion": BACKUP.api_version,
        "kind": BACKUP.name,
        "metadata": metadata,
        "spec": {**found.get("spec", {}), "storageLocation": home.location},
        "status": status,
    }


def _theirs(meta: Object, tenant: str) -> Object:
    """Give the metadata of what people have put into a bucket of their own: name and mark alone.

    Whatever else it says, such as of which Schedule it is, others would rely on. Raises Unfit for
    what is there in the name of others.
    """
    origin = origin_of(NAB, meta.get("labels"), meta.get("annotations"))
    if origin is None:
        raise Unfit(f"it does not say whose it is, and the bucket belongs to {_shown(tenant)}")
    if origin.namespace != tenant:
        theirs = _shown(origin.namespace)
        raise Unfit(f"it says to be of {theirs}, and the bucket belongs to {_shown(tenant)}")
    if origin.nacuuid != meta["name"]:
        raise Unfit(f"it has not the name that its mark says, {_shown(origin.nacuuid)}")
    if not can_be_of(origin.nacuuid, tenant):
        raise Unfit(f"its name is not the namespace, {_shown(tenant)}, with a uuid in the end")
    return {
        "name": meta["name"],
        "labels": labels_for(NAB, origin.nacuuid),
        "annotations": annotations_for(NAB, origin.namespace, origin.name, origin.uid),
    }


def _status(status: Object, now: datetime) -> Object:
    phase = status.get("phase", "")
    if phase in UNDER_WAY:
        expiration = status.get("expiration")
        if not expiration or parse_time(expiration) > now:
            raise NotYet
        # So that it can be removed, as its time is over.
        return {**status, "phase": BackupPhase.PARTIALLY_FAILED.value}
    if phase not in ENDED:
        raise Unfit(f"its phase {_shown(phase)} is not that of a Backup that has ended")
    return status


def _check_times(status: Object) -> None:
    for name in TIMES:
        try:
            parse_time(status.get(name) or "1970-01-01T00:00:00Z")
        except TimeError as exc:
            raise Unfit(f"its status.{name} is no time: {str(exc)[:SHOWN]}") from exc


def _owners(found: Object) -> list[dict[str, Any]]:
    owners: list[dict[str, Any]] = found["metadata"].get("ownerReferences", [])
    return owners


def _is_schedule(owner: Mapping[str, Any]) -> bool:
    is_ours = owner.get("apiVersion") == BACKUP.api_version
    return is_ours and owner.get("kind") == "Schedule" and bool(owner.get("name"))


def _shown(text: str) -> str:
    return quote(text if len(text) <= SHOWN else text[:SHOWN] + "…")
