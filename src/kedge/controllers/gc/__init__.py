"""Garbage collection: a Backup whose time is over is asked to be deleted, at that very time."""
