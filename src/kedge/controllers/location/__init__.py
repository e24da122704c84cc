"""BackupStorageLocations: whether backups can be kept there, and which of them is the default."""
