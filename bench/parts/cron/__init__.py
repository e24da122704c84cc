"""Parts of bench/cron.py: cron libraries beside each other."""
