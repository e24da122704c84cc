"""Which objects of an archive come back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from kedge.api.velero.restore import RestoreSpec, StatusSelection
from kedge.archive.item import Place
from kedge.engine.backup.namespaces import is_wildcard, pattern_problem
from kedge.engine.glob import is_pattern
from kedge.engine.includes import ALL, Includes, matches
from kedge.kube.foreign import cut
from kedge.kube.selectors import EVERYTHING

NAMESPACES: Final = "namespaces"
MUST_HAVE: Final = frozenset(
    {"datauploads.velero.io", "volumesnapshotcontents.snapshot.storage.k8s.io"}
)
"""Resources that come back whatever is excluded, as those of volumes depend on them; but only into
namespaces that do."""

Resolve = Callable[[str], str]


def resolved(names: Sequence[str] | None, resolve: Resolve) -> list[str]:
    """Write names of resources in full; patterns stay as they are."""
    return [each if is_pattern(each) else resolve(each) for each in names or ()]


class Selection:
    """The filters of a Restore."""

    def __init__(self, spec: RestoreSpec, resolve: Resolve) -> None:
        """Prepare the filters.

        Raises SelectorError, and ValueError at a pattern for namespaces that is none.
        """
        included = resolved(spec.included_resources, resolve)
        self._resources = Includes.of(included, resolved(spec.excluded_resources, resolve))
        self._namespaces = _namespaces(spec)
        self._cluster = spec.include_cluster_resources
        # A namespace that is left out by name or pattern counts, be it in the backup or not.
        everything = self._namespaces.everything
        self._has_cluster = self._cluster or (self._cluster is None and everything)
        self._mapping = spec.namespace_mapping or {}
        selector = spec.label_selector
        self._selector = EVERYTHING if selector is None else selector.selector
        self._others = [each.selector for each in spec.or_label_selectors or ()]

    def resource(self, resource: str) -> bool:
        """Tell whether objects of a resource may come back."""
        return resource in MUST_HAVE or self._resources.has(resource)

    def place(self, place: Place) -> bool:
        """Tell whether an object of a resource that may come back is where it may, too."""
        if not place.namespace:
            # A Namespace is left out like all that is in it.
            inside = place.resource != NAMESPACES or self._namespaces.has(place.name)
            return bool(self._has_cluster) and inside
        return self._namespaces.has(place.namespace)

    def additional(self, place: Place) -> bool:
        """Tell whether an object may come back that belongs to another one that does."""
        if not self.resource(place.resource):
            return False
        return self.place(place) if place.namespace else self._cluster is not False

    def labels(self, resource: str, labels: Mapping[str, Any]) -> bool:
        """Tell whether an object with these labels, of the backup, may come back."""
        if resource in MUST_HAVE:
            return True
        if not self._selector.matches(labels):
            return False
        return not self._others or any(each.matches(labels) for each in self._others)

    def target(self, namespace: str) -> str:
        """Give the namespace into which the objects of one go."""
        return self._mapping.get(namespace, namespace)

    def in_vain(self, namespaces: set[str]) -> list[str]:
        """Say which names and patterns fit none of the namespaces that a backup has."""
        fields = {
            "includedNamespaces": self._namespaces.included - {ALL},
            "namespaceMapping": self._mapping.keys(),
        }
        return [
            f"spec.{field} names {cut(name)!r}, which the backup does not have"
            for field, names in fields.items()
            for name in sorted(names)
            if not any(matches([name], one) for one in namespaces)
        ]


def _namespaces(spec: RestoreSpec) -> Includes:
    found = Includes.of(spec.included_namespaces, spec.excluded_namespaces)
    for pattern in sorted(found.included | found.excluded):
        problem = pattern_problem(pattern) if is_wildcard(pattern) else ""
        if problem:
            text = "error expanding wildcard patterns in namespace includes/excludes"
            raise ValueError(f"{text}: {problem}")
    return found


def wanted_statuses(selection: StatusSelection | None, resolve: Resolve) -> Includes | None:
    """Give the resources whose status comes back; None: none."""
    if selection is None:
        return None
    included = resolved(selection.included_resources, resolve)
    return Includes.of(included, resolved(selection.excluded_resources, resolve))
