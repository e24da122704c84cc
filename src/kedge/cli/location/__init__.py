"""`kedge backup-location`: one module a command, and what they share."""
