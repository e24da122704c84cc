"""Parts of bench/selfservice.py: NonAdminBackups, and their places in the line."""
