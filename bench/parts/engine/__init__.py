"""Parts of bench/engine.py: backups and restores, beside Velero."""
