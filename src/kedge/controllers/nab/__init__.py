"""NonAdminBackups: the backups that people make of their own namespaces."""
