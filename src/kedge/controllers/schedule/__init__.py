"""Schedules: a Backup each time a cron expression says so."""
