"""What a fresh server holds: roles and bindings, namespaces and priority classes."""

from pathlib import Path
from typing import Any, Final

import msgspec

from kedge.apiserver.auth.rbac import GROUP

ROLES_FILE: Final = Path(__file__).with_name("bootstrap.json")
LABELS: Final = {"kubernetes.io/bootstrapping": "rbac-defaults"}
AUTOUPDATE: Final = "rbac.authorization.kubernetes.io/autoupdate"
# The field manager of all that the server makes for itself.
MANAGER: Final = "kube-apiserver"
NAMESPACES: Final = ("kube-system", "kube-public", "default", "kube-node-lease")

Object = dict[str, Any]


def roles_and_bindings() -> list[Object]:
    """List all roles and bindings, in the order in which they are made."""
    entries = msgspec.json.decode(ROLES_FILE.read_bytes())
    return [_whole(kind, short) for entry in entries for kind, short in entry.items()]


def namespaces() -> list[Object]:
    """List the namespaces that are always there."""
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in NAMESPACES
    ]


def priority_classes() -> list[Object]:
    """List the two priority classes of the system itself."""
    return [
        _priority_class(
            "system-node-critical",
            2_000_001_000,
            "Used for system critical pods that must not be moved from their current node.",
        ),
        _priority_class(
            "system-cluster-critical",
            2_000_000_000,
            "Used for system critical pods that must run in the cluster, "
            "but can be moved to another node if necessary.",
        ),
    ]


def _priority_class(name: str, value: int, description: str) -> Object:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        "description": description,
        "preemptionPolicy": "PreemptLowerPriority",
    }


def _whole(kind: str, short: Object) -> Object:
    metadata: Object = {key: short[key] for key in ("name", "namespace") if key in short}
    metadata["labels"] = {**LABELS, **short.get("labels", {})}
    metadata["annotations"] = {AUTOUPDATE: "true"}
    obj = {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": metadata}
    obj.update((key, short[key]) for key in short.keys() - {"name", "namespace", "labels"})
    return obj
