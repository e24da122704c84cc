"""`kedge backup`: one module a command, and what commands about Backups share."""
