"""PodVolumeBackups as they are found in a bucket, made into ones of this cluster. Pure."""

from typing import Any, Final

import msgspec

from kedge.api.plain import from_plain, without_nulls
from kedge.api.velero.labels import BACKUP_NAME, BACKUP_UID, valid_name
from kedge.api.velero.pod_volume import PodVolumePhase
from kedge.api.velero.pod_volume_backup import POD_VOLUME_BACKUP
from kedge.controllers.sync.adopt import Home, Unfit
from kedge.kube.kind import Object

ENDED: Final = (PodVolumePhase.COMPLETED, PodVolumePhase.FAILED, PodVolumePhase.CANCELED)
MOST: Final = 10_000
"""Volumes of one backup; what is beyond has been made up."""


def adopt_volume(found: Any, backup: Object, home: Home) -> Object:
    """Make the PodVolumeBackup of this cluster, which belongs to a Backup; raises Unfit."""
    try:
        clean = without_nulls(found)
        volume = from_plain(POD_VOLUME_BACKUP, clean)
    except (msgspec.ValidationError, RecursionError) as exc:
        raise Unfit(f"a PodVolumeBackup does not fit its kind: {str(exc)[:128]}") from exc
    if volume.status.phase not in ENDED:
        raise Unfit(f"the PodVolumeBackup {volume.metadata.name!r} has not ended")
    uid, meta = backup["metadata"]["uid"], clean["metadata"]
    # It is of the Backup that it lies with: by these labels others find out whose it is.
    labels = {BACKUP_NAME: valid_name(backup["metadata"]["name"]), BACKUP_UID: uid}
    given = {} if home.tenant else meta.get("labels", {})
    return {
        "apiVersion": POD_VOLUME_BACKUP.api_version,
        "kind": POD_VOLUME_BACKUP.name,
        "metadata": {
            "name": volume.metadata.name,
            "namespace": home.namespace,
            "labels": given | labels,
            "annotations": meta.get("annotations", {}),
            "ownerReferences": [
                {**one, "uid": uid}
                for one in meta.get("ownerReferences", [])
                if _is_of(one, backup["metadata"]["name"])
            ],
        },
        "spec": {**clean.get("spec", {}), "backupStorageLocation": home.location},
        "status": clean["status"],
    }


def _is_of(owner: Object, name: str) -> bool:
    kind = (owner.get("apiVersion"), owner.get("kind"))
    return kind == (POD_VOLUME_BACKUP.api_version, "Backup") and owner.get("name") == name
