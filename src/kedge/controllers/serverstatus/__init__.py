"""ServerStatusRequests: who the server is, and what it can do."""
