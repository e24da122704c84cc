"""The queue of Backups: who waits, in what order, and who may start."""
