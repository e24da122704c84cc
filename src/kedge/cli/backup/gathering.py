"""All that there is to tell about one backup: the object, what belongs to it, and its files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kedge.cli.backup.kind import typed
from kedge.cli.loaded import ABSENT, Documents, Loaded, Resources, Results, load_all, related
from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.api.velero.backup import Backup
    from kedge.cli.download import Fetching
    from kedge.client import Client
    from kedge.kube.kind import Object

WITHOUT_FILES = frozenset({"", "New", "Queued", "ReadyToStart", "FailedValidation", "InProgress"})
"""Phases in which a backup has no files yet, or never had any: nobody is asked for them."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found."""

    plain: Object
    backup: Backup
    details: bool = False
    deletions: list[Object] = field(default_factory=list)
    pod_volumes: list[Object] = field(default_factory=list)
    results: Loaded = ABSENT
    operations: Loaded = ABSENT
    resources: Loaded = ABSENT
    volumes: Loaded = ABSENT
    native: Loaded = ABSENT
    """Snapshots as older versions of Velero kept them; only without `volumes`."""
    csi: Loaded = ABSENT
    csi_contents: Loaded = ABSENT


async def gather(client: Client, backup: Object, how: Fetching, *, details: bool) -> Gathered:
    """Find all that there is to tell; what can not be had is told in its place."""
    read = typed(backup)
    found: dict[str, Loaded] = {}
    if read.status.phase not in WITHOUT_FILES:
        found = await _files(client, backup, how, _wanted(read, details))
    return Gathered(
        backup,
        read,
        details,
        deletions=await _related(client, backup, "deletions"),
        pod_volumes=await _related(client, backup, "pod volumes"),
        **found,
    )


def _wanted(backup: Backup, details: bool) -> dict[str, tuple[str, Any]]:
    status = backup.status
    wanted: dict[str, tuple[str, Any]] = {"volumes": ("BackupVolumeInfos", Documents)}
    if status.warnings or status.errors:
        wanted["results"] = ("BackupResults", Results)
    if details:
        wanted["resources"] = ("BackupResourceList", Resources)
        if status.backup_item_operations_attempted:
            wanted["operations"] = ("BackupItemOperations", Documents)
    return wanted


async def _files(
    client: Client, backup: Object, how: Fetching, wanted: dict[str, tuple[str, Any]]
) -> dict[str, Loaded]:
    from kedge.cli.download import Files

    name = backup["metadata"]["name"]
    files = await Files.of_backup(client, backup, how)
    found = await load_all(files, name, wanted)
    if found["volumes"].is_absent:
        found |= await load_all(files, name, _older(backup))
    return found


def _older(backup: Object) -> dict[str, tuple[str, Any]]:
    wanted: dict[str, tuple[str, Any]] = {}
    if part(backup, "status", "volumeSnapshotsAttempted"):
        wanted["native"] = ("BackupVolumeSnapshots", Documents)
    if part(backup, "status", "csiVolumeSnapshotsAttempted"):
        wanted["csi"] = ("CSIBackupVolumeSnapshots", Documents)
        wanted["csi_contents"] = ("CSIBackupVolumeSnapshotContents", Documents)
    return wanted


async def _related(client: Client, backup: Object, what: str) -> list[Object]:
    """Read the requests to delete it, or the volumes of pods that belong to it."""
    from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
    from kedge.api.velero.labels import BACKUP_NAME, BACKUP_UID, valid_name
    from kedge.api.velero.pod_volume_backup import POD_VOLUME_BACKUP

    meta = backup["metadata"]
    labels = f"{BACKUP_NAME}={valid_name(meta['name'])}"
    if what == "deletions":
        labels += f",{BACKUP_UID}={meta.get('uid', '')}"
        return await related(client, DELETE_BACKUP_REQUEST.into(dict), "backup", backup, labels)
    return await related(client, POD_VOLUME_BACKUP.into(dict), "backup", backup, labels)
