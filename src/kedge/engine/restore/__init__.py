"""What a restore does to a cluster, and its preview."""
