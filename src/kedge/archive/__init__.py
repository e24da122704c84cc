"""Velero's backup format: read and written, with no knowledge of clusters or buckets."""
