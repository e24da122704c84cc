"""Makes a Backup ready to run: what its spec leaves open, and what is wrong with it. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from kedge.api.plain import from_plain
from kedge.api.velero import labels
from kedge.api.velero.backup import BACKUP, BackupPhase, BackupSpec
from kedge.api.velero.storage_location import (
    BACKUP_STORAGE_LOCATION,
    AccessMode,
    BackupStorageLocation,
    LocationPhase,
)
from kedge.controllers.backup.settings import BackupSettings
from kedge.controllers.backup.snapshots import SnapshotLocations
from kedge.engine.backup.policies import Policies
from kedge.engine.backup.validate import policy_problems, problems, uses_old_filters
from kedge.kube.durations import ZERO, DurationError, duration_of, format_duration
from kedge.kube.errors import not_found
from kedge.kube.kind import Object
from kedge.kube.times import format_time

MAJOR: Final = 1
FORMAT: Final = "1.1.0"
"""The format of archives, which restores look at."""
SNAPSHOTS: Final = "volumesnapshots.snapshot.storage.k8s.io"
SNAPSHOT_CONTENTS: Final = "volumesnapshotcontents.snapshot.storage.k8s.io"
NO_LOCATION: Final = (
    "an existing backup storage location was not specified at backup creation time and the "
    "{which}. Please address this issue (see `velero backup-location -h` for options) and create "
    "a new backup. Error: {error}"
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is found in the cluster when a Backup is to start; an error where it can not be."""

    locations: Sequence[BackupStorageLocation] = ()
    locations_error: str = ""
    current: BackupStorageLocation | None = None
    """One of them as it is now; the others may be a little old."""
    snapshots: SnapshotLocations = field(default_factory=SnapshotLocations)
    left_out: Sequence[str] = ()
    """Namespaces that a label keeps out of backups."""
    namespaces_error: str = ""
    policies: Policies | None = None
    policies_error: str = ""
    version: tuple[str, str, str] = ("", "", "")
    """Of the API server: as Git has it, its major and its minor number."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A Backup that is ready to run, or is refused."""

    spec: Object
    """As it is to be written."""
    labels: dict[str, str]
    annotations: dict[str, str]
    status: Object
    problems: Sequence[str]
    location: BackupStorageLocation | None = None
    typed: BackupSpec = field(default_factory=BackupSpec)
    """What to run: the namespaces that a label keeps out are found when it runs."""
    policies: Policies | None = None
    excluded: Sequence[str] = ()
    """The namespaces that the spec leaves out by itself."""

    def change(self, backup: Object) -> Object:
        """Give what is to be changed of a Backup beside its status."""
        change: Object = {}
        if spec := _difference(backup.get("spec") or {}, self.spec):
            change["spec"] = spec
        meta = backup["metadata"]
        wanted = {"labels": self.labels, "annotations": self.annotations}
        for name, values in wanted.items():
            if new := _difference(meta.get(name) or {}, values):
                change.setdefault("metadata", {})[name] = new
        return change

    def excluding(self, left_out: Sequence[str]) -> Object:
        """Give what the spec is to say where other namespaces were left out than was thought."""
        spec: Object = {"excludedNamespaces": list(self.excluded)}
        _add(spec, "excludedNamespaces", left_out)
        old = {"excludedNamespaces": self.spec.get("excludedNamespaces") or []}
        return _difference(old, spec)


def prepare(backup: Object, facts: Facts, settings: BackupSettings, now: datetime) -> Prepared:
    """Fill in what the spec leaves open, and check it all, as Velero does."""
    spec: Object = dict(backup.get("spec") or {})
    found: list[str] = []
    is_named = bool(spec.get("storageLocation"))
    found += _fill(spec, settings)
    location = _location(spec, facts, settings.default_location)
    found += _location_problems(spec["storageLocation"], location, facts, is_named=is_named)
    snapshots, wrong = facts.snapshots.resolve(
        spec.get("volumeSnapshotLocations") or (),
        is_wanted=spec.get("snapshotVolumes") is not False,
    )
    found += wrong
    if not wrong and (snapshots or spec.get("volumeSnapshotLocations")):
        spec["volumeSnapshotLocations"] = snapshots
    found += [facts.namespaces_error] if facts.namespaces_error else []
    excluded = spec.get("excludedNamespaces")
    _add(spec, "excludedNamespaces", facts.left_out)
    if not spec.get("includedNamespaces"):
        spec["includedNamespaces"] = ["*"]
    typed, wrong = _typed(spec)
    found += wrong + problems(typed)
    found += _policy_problems(typed, facts)
    if not found:
        _leave_out_snapshots(spec, is_old=uses_old_filters(typed))
    return Prepared(
        spec,
        {labels.STORAGE_LOCATION: labels.valid_name(spec["storageLocation"])},
        _annotations(facts, settings.resource_timeout),
        _status(found, _expiration(spec, now), now),
        found,
        location,
        _typed({**spec, "excludedNamespaces": excluded})[0],
        facts.policies,
        [] if found else excluded or [],
    )


def _fill(spec: Object, settings: BackupSettings) -> list[str]:
    """Put in what the server gives where the spec says nothing."""
    found = []
    for name, default in (
        ("ttl", settings.default_ttl),
        ("csiSnapshotTimeout", settings.csi_timeout),
        ("itemOperationTimeout", settings.item_operation_timeout),
    ):
        try:
            spec[name] = format_duration(duration_of(spec.get(name), default))
        except DurationError as exc:
            found.append(f"invalid {name}: {exc}")
    if str(spec.get("ttl")).startswith("-"):
        # It would be deleted as soon as it is complete.
        text = f"{spec['ttl']} is negative; write it as 720h, or leave it out"
        found.append(f"invalid ttl: {text}")
    spec.setdefault("volumeGroupSnapshotLabelKey", "")
    spec["volumeGroupSnapshotLabelKey"] = (
        spec["volumeGroupSnapshotLabelKey"] or settings.volume_group_label
    )
    if spec.get("defaultVolumesToRestic") is True:
        spec["defaultVolumesToFsBackup"] = True
    for name in ("defaultVolumesToFsBackup", "snapshotMoveData"):
        if spec.get(name) is None:
            spec[name] = False
    return found


def _location(spec: Object, facts: Facts, default: str) -> BackupStorageLocation | None:
    """Find the storage location, and write its name into the spec."""
    if not spec.get("storageLocation"):
        marked = [one.metadata.name for one in facts.locations if one.spec.default]
        spec["storageLocation"] = marked[0] if marked else default
    name = spec["storageLocation"]
    return next((one for one in facts.locations if one.metadata.name == name), None)


def _location_problems(
    name: str, location: BackupStorageLocation | None, facts: Facts, *, is_named: bool
) -> list[str]:
    if facts.locations_error:
        return [f"error getting backup storage location: {facts.locations_error}"]
    if location is None:
        which = (
            f"default {name} was not found" if is_named else f"server default {name} does not exist"
        )
        kind = BACKUP_STORAGE_LOCATION
        error = not_found(kind.group, kind.plural, name).message
        return [NO_LOCATION.format(which=which, error=error)]
    found = []
    if location.spec.access_mode == AccessMode.READ_ONLY:
        found.append(
            f"backup can't be created because backup storage location {name} is currently in "
            "read-only mode"
        )
    if location.status.phase != LocationPhase.AVAILABLE:
        found.append(
            f"backup can't be created because BackupStorageLocation {name} is in Unavailable "
            "status."
        )
    return found


def _policy_problems(spec: BackupSpec, facts: Facts) -> list[str]:
    if facts.policies_error:
        return [facts.policies_error]
    return policy_problems(spec, facts.policies)


def _lists(*, is_old: bool) -> Iterable[tuple[str, str, tuple[str, ...]]]:
    """Give the lists that snapshots are left out by: excluded, included, what of."""
    if is_old:
        yield "excludedResources", "includedResources", (SNAPSHOTS, SNAPSHOT_CONTENTS)
    else:
        yield (
            "excludedNamespaceScopedResources",
            "includedNamespaceScopedResources",
            (SNAPSHOTS,),
        )
        yield (
            "excludedClusterScopedResources",
            "includedClusterScopedResources",
            (SNAPSHOT_CONTENTS,),
        )


def _leave_out_snapshots(spec: Object, *, is_old: bool) -> None:
    """Leave out what only a backup of volume data can make sense of, as Velero does."""
    for excluded, included, names in _lists(is_old=is_old):
        wanted = spec.get(included) or []
        rest = [one for one in wanted if one not in names]
        if wanted and not rest:
            continue  # an empty list would mean everything, and not nothing
        if "*" not in (spec.get(excluded) or ()):
            _add(spec, excluded, names)
        if rest != wanted:
            spec[included] = rest


def _add(spec: Object, name: str, values: Iterable[str]) -> None:
    """Add what a list does not hold yet."""
    known = list(spec.get(name) or ())
    new = [one for one in values if one not in known]
    if new:
        spec[name] = known + new


def _typed(spec: Object) -> tuple[BackupSpec, list[str]]:
    try:
        return from_plain(BACKUP, {"spec": spec}).spec, []
    except msgspec.ValidationError as exc:
        return BackupSpec(), [f"invalid spec: {exc}"]


def _expiration(spec: Object, now: datetime) -> str | None:
    try:
        ttl = duration_of(spec.get("ttl"))
        # What is wrong is told already.
        return format_time(now + ttl) if ttl >= ZERO else None
    except (DurationError, OverflowError):
        return None


def _annotations(facts: Facts, timeout: timedelta) -> dict[str, str]:
    version, major, minor = facts.version
    return {
        labels.SOURCE_GIT_VERSION: version,
        labels.SOURCE_MAJOR_VERSION: major,
        labels.SOURCE_MINOR_VERSION: minor,
        labels.RESOURCE_TIMEOUT: format_duration(timeout),
    }


def _status(found: Sequence[str], expiration: str | None, now: datetime) -> Object:
    status: Object = {"version": MAJOR, "formatVersion": FORMAT}
    if expiration is not None:
        status["expiration"] = expiration
    if found:
        return status | {"phase": BackupPhase.FAILED_VALIDATION, "validationErrors": list(found)}
    return status | {"phase": BackupPhase.IN_PROGRESS, "startTimestamp": format_time(now)}


def _difference(old: Object, new: Object) -> dict[str, Any]:
    """Give the fields that are to be written; what is not named stays as it is."""
    return {name: value for name, value in new.items() if old.get(name) != value}
