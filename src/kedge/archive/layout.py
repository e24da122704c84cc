"""Where the files of backups and restores lie in a bucket: keys below a location's prefix."""

from collections.abc import Callable, Mapping
from typing import Final

BACKUPS: Final = "backups/"
RESTORES: Final = "restores/"
TOP_LEVEL: Final = frozenset({"backups", "restores", "restic", "metadata", "plugins", "kopia"})
"""The only folders a location may have directly below its prefix."""


def backup_folder(name: str) -> str:
    """Give what all keys of a backup begin with."""
    return f"{BACKUPS}{name}/"


def restore_folder(name: str) -> str:
    """Give what all keys of a restore begin with."""
    return f"{RESTORES}{name}/"


def backup_metadata(name: str) -> str:
    """Give the key of the Backup object: a backup exists if this file does."""
    return f"{backup_folder(name)}velero-backup.json"


def backup_contents(name: str) -> str:
    """Give the key of the archive of items."""
    return f"{backup_folder(name)}{name}.tar.gz"


def backup_log(name: str) -> str:
    """Give the key of a backup's log."""
    return f"{backup_folder(name)}{name}-logs.gz"


def backup_results(name: str) -> str:
    """Give the key of a backup's warnings and errors."""
    return f"{backup_folder(name)}{name}-results.gz"


def backup_resource_list(name: str) -> str:
    """Give the key of the list of what a backup holds."""
    return f"{backup_folder(name)}{name}-resource-list.json.gz"


def backup_pod_volumes(name: str) -> str:
    """Give the key of a backup's PodVolumeBackups."""
    return f"{backup_folder(name)}{name}-podvolumebackups.json.gz"


def backup_snapshots(name: str) -> str:
    """Give the key of a backup's native volume snapshots."""
    return f"{backup_folder(name)}{name}-volumesnapshots.json.gz"


def backup_operations(name: str) -> str:
    """Give the key of a backup's asynchronous item operations."""
    return f"{backup_folder(name)}{name}-itemoperations.json.gz"


def backup_volume_info(name: str) -> str:
    """Give the key of what is known about a backup's volumes."""
    return f"{backup_folder(name)}{name}-volumeinfo.json.gz"


def backup_csi_snapshots(name: str) -> str:
    """Give the key of a backup's VolumeSnapshots, which older versions of Velero wrote."""
    return f"{backup_folder(name)}{name}-csi-volumesnapshots.json.gz"


def backup_csi_contents(name: str) -> str:
    """Give the key of a backup's VolumeSnapshotContents, which older versions of Velero wrote."""
    return f"{backup_folder(name)}{name}-csi-volumesnapshotcontents.json.gz"


def restore_log(name: str) -> str:
    """Give the key of a restore's log."""
    return f"{restore_folder(name)}restore-{name}-logs.gz"


def restore_results(name: str) -> str:
    """Give the key of a restore's warnings and errors."""
    return f"{restore_folder(name)}restore-{name}-results.gz"


def restore_resource_list(name: str) -> str:
    """Give the key of the list of what a restore did to each item."""
    return f"{restore_folder(name)}restore-{name}-resource-list.json.gz"


def restore_operations(name: str) -> str:
    """Give the key of a restore's asynchronous item operations."""
    return f"{restore_folder(name)}restore-{name}-itemoperations.json.gz"


def restore_volume_info(name: str) -> str:
    """Give the key of what is known about a restore's volumes."""
    return f"{restore_folder(name)}{name}-volumeinfo.json.gz"


_TARGETS: Final[Mapping[str, Callable[[str], str]]] = {
    "BackupLog": backup_log,
    "BackupContents": backup_contents,
    "BackupVolumeSnapshots": backup_snapshots,
    "BackupItemOperations": backup_operations,
    "BackupResourceList": backup_resource_list,
    "BackupResults": backup_results,
    "BackupVolumeInfos": backup_volume_info,
    "CSIBackupVolumeSnapshots": backup_csi_snapshots,
    "CSIBackupVolumeSnapshotContents": backup_csi_contents,
    "RestoreLog": restore_log,
    "RestoreResults": restore_results,
    "RestoreResourceList": restore_resource_list,
    "RestoreItemOperations": restore_operations,
    "RestoreVolumeInfo": restore_volume_info,
}

TARGETS: Final = frozenset(_TARGETS)
"""What a DownloadRequest may ask for."""


def target_key(kind: str, name: str) -> str:
    """Give the key of what a DownloadRequest asks for; raises KeyError for a kind unknown to us."""
    return _TARGETS[kind](name)


def is_of_restore(kind: str) -> bool:
    """Tell whether a download is of a restore, and not of a backup."""
    return kind.startswith("Restore")
