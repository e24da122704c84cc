"""What is kept of backups and restores in the bucket of a BackupStorageLocation."""
