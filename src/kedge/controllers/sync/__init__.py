"""Backup sync: Backups that a bucket has come into the cluster, those that it has lost go."""
