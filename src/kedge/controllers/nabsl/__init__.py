"""NonAdminBackupStorageLocations: buckets that people bring for their own backups."""
