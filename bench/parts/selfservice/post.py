"""A NonAdminBackup that somebody asks for."""

from dataclasses import dataclass

from parts.api.client import Request, encoded
from parts.selfservice.plan import TENANTS
from parts.selfservice.seen import COLLECTION, Key

GROUP, PLURAL = COLLECTION.rsplit("/", 1)


@dataclass(frozen=True)
class Post:
    """Which one, and the request that makes it."""

    key: Key
    request: Request

    @property
    def path(self) -> str:
        """Where it is when it is made."""
        return f"{self.request.path}/{self.key[1]}"


def post(home: str, number: int) -> Post:
    """Ask for a backup."""
    namespace, name = f"{home}-{number % TENANTS:02d}", f"nightly-{number:05d}"
    body = {
        "apiVersion": "oadp.openshift.io/v1alpha1",
        "kind": "NonAdminBackup",
        "metadata": {"name": name, "labels": {"app": "shop"}},
        "spec": {
            "backupSpec": {
                "excludedResources": ["events", "events.events.k8s.io"],
                "labelSelector": {"matchLabels": {"backup": "yes"}},
                "ttl": "720h0m0s",
            }
        },
    }
    path = f"{GROUP}/namespaces/{namespace}/{PLURAL}"
    return Post((namespace, name), Request("POST", path, encoded(body)))
