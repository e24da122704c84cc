"""Keys are Velero's."""

import pytest

from kedge.archive import layout
from kedge.archive.layout import TARGETS, is_of_restore, target_key

KEYS = {
    "BackupLog": "backups/x/x-logs.gz",
    "BackupContents": "backups/x/x.tar.gz",
    "BackupVolumeSnapshots": "backups/x/x-volumesnapshots.json.gz",
    "BackupItemOperations": "backups/x/x-itemoperations.json.gz",
    "BackupResourceList": "backups/x/x-resource-list.json.gz",
    "BackupResults": "backups/x/x-results.gz",
    "RestoreLog": "restores/x/restore-x-logs.gz",
    "RestoreResults": "restores/x/restore-x-results.gz",
    "RestoreResourceList": "restores/x/restore-x-resource-list.json.gz",
    "RestoreItemOperations": "restores/x/restore-x-itemoperations.json.gz",
    "CSIBackupVolumeSnapshots": "backups/x/x-csi-volumesnapshots.json.gz",
    "CSIBackupVolumeSnapshotContents": "backups/x/x-csi-volumesnapshotcontents.json.gz",
    "BackupVolumeInfos": "backups/x/x-volumeinfo.json.gz",
    "RestoreVolumeInfo": "restores/x/x-volumeinfo.json.gz",
}


def test_every_download_has_its_key() -> None:
    assert {kind: target_key(kind, "x") for kind in TARGETS} == KEYS


@pytest.mark.parametrize("kind", KEYS)
def test_downloads_of_restores_are_known_as_such(kind: str) -> None:
    assert is_of_restore(kind) == KEYS[kind].startswith("restores/")


def test_another_download_is_unknown() -> None:
    with pytest.raises(KeyError):
        target_key("Other", "x")


def test_the_other_files_of_a_backup() -> None:
    assert layout.backup_metadata("x") == "backups/x/velero-backup.json"
    assert layout.backup_pod_volumes("x") == "backups/x/x-podvolumebackups.json.gz"
    assert layout.restore_folder("x") == "restores/x/"
