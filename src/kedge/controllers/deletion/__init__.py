"""DeleteBackupRequests: a Backup goes with its files and its Restores."""
