"""Backups: from a request that may start to files in a bucket, and to an end that is told."""
