"""Where the file is kept that a DownloadRequest asks for: its location, and its key."""

from typing import Final

import msgspec

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.download_request import DownloadTarget
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION, BackupStorageLocation
from kedge.archive.layout import TARGETS, is_of_restore, target_key
from kedge.client import Client
from kedge.kube.errors import NotFound
from kedge.kube.gotext import quote


class RestoreSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, which Backup it is of."""

    backup_name: str = ""


class RestoreHead(msgspec.Struct, frozen=True):
    """Of a Restore, which Backup it is of."""

    spec: RestoreSpec = RestoreSpec()


class BackupSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, where it is kept."""

    storage_location: str = ""


class BackupHead(msgspec.Struct, frozen=True):
    """Of a Backup, where it is kept."""

    spec: BackupSpec = BackupSpec()


RESTORES: Final = RESTORE.into(RestoreHead)
BACKUPS: Final = BACKUP.into(BackupHead)


class Missing(Exception):
    """There is no such file, since something on the way to it is not there."""


async def find_source(
    client: Client, target: DownloadTarget, namespace: str
) -> tuple[BackupStorageLocation, str]:
    """Find the location and the key of a file; raise Missing, or what the client raises."""
    if target.kind not in TARGETS:
        raise Missing(f"spec.target.kind {quote(target.kind)} is not known")
    backup_name = target.name
    if is_of_restore(target.kind):
        _check("Restore", target.name)
        try:
            restore = await client.get(RESTORES, target.name, namespace)
        except NotFound:
            raise Missing(f"there is no Restore {quote(target.name)}") from None
        backup_name = restore.spec.backup_name
    _check("Backup", backup_name)
    try:
        backup = await client.get(BACKUPS, backup_name, namespace)
    except NotFound:
        raise Missing(f"there is no Backup {quote(backup_name)}") from None
    name = backup.spec.storage_location
    _check("BackupStorageLocation", name)
    try:
        location = await client.get(BACKUP_STORAGE_LOCATION, name, namespace)
    except NotFound:
        raise Missing(f"there is no BackupStorageLocation {quote(name)}") from None
    return location, target_key(target.kind, target.name)


def _check(kind: str, name: str) -> None:
    """Refuse what is no name of an object: a path to something else."""
    if not name or name in (".", "..") or "/" in name:
        raise Missing(f"{quote(name)} is no name of a {kind}")
