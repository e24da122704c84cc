"""What `kedge server` may do: in its own namespace, and in the whole cluster. Pure."""

from collections.abc import Iterable
from itertools import chain
from typing import Any, Final

from kedge.cli.operator.rights import BY_CONTROLLER
from kedge.cli.operator.settings import LEASE
from kedge.kube.right import Right
from kedge.runtime.rights import EVENT_RIGHTS, lease_rights

NAMESPACES: Final = ("", "namespaces")
RBAC: Final = "rbac.authorization.k8s.io"


def merged(rights: Iterable[Right]) -> tuple[Right, ...]:
    """Put what is asked for the same objects into one right, in the order of the alphabet."""
    verbs: dict[tuple[str, str, tuple[str, ...]], set[str]] = {}
    for one in rights:
        verbs.setdefault((one.group, one.resource, one.names), set()).update(one.verbs)
    return tuple(
        Right(group, resource, tuple(sorted(found)), names)
        for (group, resource, names), found in sorted(verbs.items())
    )


_ALL: Final = merged(
    (*chain.from_iterable(BY_CONTROLLER.values()), *EVENT_RIGHTS, *lease_rights(LEASE))
)
RIGHTS: Final = tuple(one for one in _ALL if (one.group, one.resource) != NAMESPACES)
"""All that is done in its own namespace; what is read of discovery is open to all accounts."""

CLUSTER_RULES: Final[list[dict[str, Any]]] = [
    *(one.rule for one in _ALL if (one.group, one.resource) == NAMESPACES),
    # A backup reads whatever there is, and a restore writes whatever was there; it runs hooks.
    {
        "apiGroups": ["*"],
        "resources": ["*"],
        "verbs": ["create", "get", "list", "patch", "update"],
    },
    # Without these, roles and bindings could be restored only as far as our own rights go.
    {
        "apiGroups": [RBAC],
        "resources": ["clusterroles", "roles"],
        "verbs": ["bind", "escalate"],
    },
]
"""What a backup and a restore do in the whole cluster; nothing is deleted there."""
