"""NonAdminDownloadRequests: files of one's own backups and restores."""
