"""How others reach the server's pods, and how many of them may be taken away at once. Pure."""

from typing import Any

from kedge.cli.install.names import (
    DOWNLOADS,
    DOWNLOADS_NAME,
    LABELS,
    PORT,
    PORT_NAME,
    meta_in,
)
from kedge.cli.install.settings import InstallSettings
from kedge.kube.kind import Object


def service(settings: InstallSettings) -> Object:
    """Give the Service: metrics, and the files of a volume if there is one."""
    ports = [_port(PORT_NAME, PORT)]
    if settings.volume_claim:
        ports.append(_port(DOWNLOADS_NAME, DOWNLOADS))
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta_in(settings.namespace),
        "spec": {"selector": dict(LABELS), "ports": ports},
    }


def budgets(settings: InstallSettings) -> list[Object]:
    """Give the PodDisruptionBudget; none for a pod that is alone, which could never be moved."""
    if (settings.replicas or 1) < 2:
        return []
    spec = {"maxUnavailable": 1, "selector": {"matchLabels": dict(LABELS)}}
    return [
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": meta_in(settings.namespace),
            "spec": spec,
        }
    ]


def _port(name: str, number: int) -> dict[str, Any]:
    return {"name": name, "port": number, "protocol": "TCP", "targetPort": name}
