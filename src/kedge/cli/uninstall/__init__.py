"""`kedge uninstall`: take the server off a cluster, and its data only where that is asked for."""
