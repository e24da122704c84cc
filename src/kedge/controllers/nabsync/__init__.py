"""Makes NonAdminBackups for Velero Backups that came out of a bucket."""
