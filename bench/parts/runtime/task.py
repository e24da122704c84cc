"""What a contestant is told."""

from dataclasses import dataclass
from typing import Any

import yaml


@dataclass(frozen=True)
class Task:
    """One measurement of one contestant, which has a process of its own for it."""

    who: str
    what: str
    kubeconfig: str
    resource: str
    """`pods` or `configmaps`, of the group "" and version v1."""
    namespace: str
    count: int
    seconds: float = 0
    """How long to be idle."""

    def config(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Read the cluster and the user from the kubeconfig."""
        with open(self.kubeconfig) as file:
            found = yaml.safe_load(file)
        return found["clusters"][0]["cluster"], found["users"][0]["user"]

    @property
    def path(self) -> str:
        """Give the path of the objects."""
        return f"/api/v1/namespaces/{self.namespace}/{self.resource}"
