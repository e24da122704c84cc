"""BackupStorageLocations as the commands read and send them: whole."""

from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION

LOCATIONS = BACKUP_STORAGE_LOCATION.into(dict)
