"""What `kedge server` may do: in its own namespace, and in the whole cluster. Pure."""

from collections.abc import Iterable
from typing import Any, Final

from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.cli.install.kinds import RBAC
from kedge.cli.operator.rights import BY_CONTROLLER
from kedge.cli.operator.settings import LEASE
from kedge.controllers.prescaled.heads import CRON_JOB
from kedge.kube.kind import Kind
from kedge.kube.right import Right, right
from kedge.runtime.rights import EVENT_RIGHTS, lease_rights

OWNERS: Final[tuple[Kind[Any], ...]] = (PRE_SCALED_CRON_JOB, CRON_JOB)
"""Kinds whose deletion waits for that of what they own."""
NAMESPACES: Final = ("", "namespaces")


def merged(rights: Iterable[Right]) -> tuple[Right, ...]:
    """Put what is asked for the same objects into one right, in the order of the alphabet."""
    verbs: dict[tuple[str, str, tuple[str, ...]], set[str]] = {}
    for one in rights:
        verbs.setdefault((one.group, one.resource, one.names), set()).update(one.verbs)
    return tuple(
        Right(group, resource, tuple(sorted(found)), names)
        for (group, resource, names), found in sorted(verbs.items())
    )


def _rights(*, everywhere: bool) -> tuple[Right, ...]:
    """Give what is done in all namespaces, or at home."""
    found = [] if everywhere else [*EVENT_RIGHTS, *lease_rights(LEASE)]
    for reach in BY_CONTROLLER.values():
        found += [one for one in reach.at_home if _is_namespace(one) == everywhere]
        found += reach.everywhere if everywhere else ()
    return merged(found)


def _is_namespace(one: Right) -> bool:
    return (one.group, one.resource) == NAMESPACES


RIGHTS: Final = _rights(everywhere=False)
"""All that is done in its own namespace; what is read of discovery is open to all accounts."""

CLUSTER_RULES: Final[list[dict[str, Any]]] = [
    *(one.rule for one in _rights(everywhere=True)),
    # A backup reads whatever there is, and a restore writes whatever was there; it runs hooks.
    {
        "apiGroups": ["*"],
        "resources": ["*"],
        "verbs": ["create", "get", "list", "patch", "update"],
    },
    # It owns what it makes for them, which some clusters check by this right; all above have it,
    # and whoever takes that away leaves PreScaledCronJobs working.
    *(right(kind, "update", subresource="finalizers").rule for kind in OWNERS),
    # Without these, roles and bindings could be restored only as far as our own rights go.
    {
        "apiGroups": [RBAC],
        "resources": ["clusterroles", "roles"],
        "verbs": ["bind", "escalate"],
    },
]
"""What is done in the whole cluster; a backup and a restore delete nothing there."""
