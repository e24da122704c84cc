"""DownloadRequests: a URL that is good for some minutes, for a file of a Backup or a Restore."""
