"""Which resources are listed, and in which order. Pure."""

from collections.abc import Iterable
from typing import Final

from kedge.engine.backup.filters import ResourceFilter
from kedge.engine.discovery import Resource, Served

VERBS: Final = frozenset({"list", "create", "get", "delete"})
"""What a resource must take to be worth saving: what can not be created can not come back."""
_CORE: Final = ("pods", "persistentvolumeclaims", "persistentvolumes")
"""The hooks of a pod run around the saving of its volumes."""
_NETWORKING: Final = "networking.k8s.io"
_TWINS: Final = {
    **{
        (group, name): name
        for name in ("deployments", "daemonsets", "replicasets")
        for group in ("extensions", "apps")
    },
    **{(group, "networkpolicies"): "networkpolicies" for group in ("extensions", _NETWORKING)},
    **{(group, "events"): "events" for group in ("", "events.k8s.io")},
}
"""Resources of two groups that show the same objects; they are saved once."""


def storable(served: Served) -> list[Resource]:
    """Give the resources whose objects can be saved and brought back, in order."""
    found = [one for one in served.preferred() if one.verbs >= VERBS]
    return sorted(found, key=_rank)


def plan(resources: Iterable[Resource], wanted: ResourceFilter) -> list[Resource]:
    """Choose the resources to be listed; of twins the first."""
    seen: set[str] = set()
    chosen = []
    for one in resources:
        if not wanted.includes(one):
            continue
        twin = _TWINS.get((one.kind.group, one.kind.plural))
        if twin is not None:
            if twin in seen:
                continue
            seen.add(twin)
        chosen.append(one)
    return chosen


def _rank(resource: Resource) -> int:
    """Put the core group first, and in it what pods need; the others keep their order."""
    if resource.kind.group:
        return len(_CORE) + 1
    return _CORE.index(resource.kind.plural) if resource.kind.plural in _CORE else len(_CORE)
