"""Kedge: scheduled, self-service, pre-warmed backup for Kubernetes."""

__version__ = "0.1.0.dev0"
