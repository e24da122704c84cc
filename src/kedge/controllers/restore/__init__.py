"""Brings objects back from backups."""
