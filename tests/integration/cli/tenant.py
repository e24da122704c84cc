"""Somebody who has rights in one namespace, and none elsewhere."""

from contextlib import suppress
from pathlib import Path

import yaml

from kedge.cli.install.tenants import tenant_roles
from kedge.kube.errors import AlreadyExists
from tests.integration.cli.session import Session

RBAC = "rbac.authorization.k8s.io"


def admit(place: Session, folder: Path, namespace: str) -> Path:
    """Let a person edit what is for tenants in a namespace; give their kubeconfig."""
    paths = f"/apis/{RBAC}/v1"
    roles = [one for one in tenant_roles() if one["metadata"]["name"] == "kedge-nonadmin-edit"]
    for role in roles:
        with suppress(AlreadyExists):
            place.call(place.kube.client.create(f"{paths}/clusterroles", role))
    binding = {
        "metadata": {"name": "tenant", "namespace": namespace},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "kedge-nonadmin-edit"},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": "tessa"}],
    }
    bindings = f"{paths}/namespaces/{namespace}/rolebindings"
    place.call(place.kube.client.create(bindings, binding))
    return acting_as("tessa", place, folder, namespace)


def acting_as(user: str, place: Session, folder: Path, namespace: str) -> Path:
    """Give the kubeconfig of a person, who looks at a namespace."""
    config = yaml.safe_load(place.kube.kubeconfig.read_text("utf-8"))
    config["users"][0]["user"]["as"] = user
    config["contexts"][0]["context"]["namespace"] = namespace
    found = folder / user
    found.write_text(yaml.safe_dump(config), "utf-8")
    return found
