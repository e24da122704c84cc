"""Pieces of time and concurrency that know nothing of Kubernetes."""
