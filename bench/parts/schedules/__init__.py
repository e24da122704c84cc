"""Parts of bench/schedules.py: schedules that are due at once, and idle ones."""
