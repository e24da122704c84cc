"""Which resources a backup is about. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from kedge.api.velero.backup import BackupSpec
from kedge.engine.backup.namespaces import Namespaces
from kedge.engine.backup.policies import ResourceRules
from kedge.engine.backup.validate import uses_old_filters
from kedge.engine.discovery import Resource, Served
from kedge.engine.glob import is_pattern
from kedge.engine.includes import ALL, Includes, matches

NAMESPACES: Final = "namespaces"
SNAPSHOTS: Final = "volumesnapshots.snapshot.storage.k8s.io"
SNAPSHOT_CONTENTS: Final = "volumesnapshotcontents.snapshot.storage.k8s.io"
ALWAYS_EXCLUDED: Final = frozenset({SNAPSHOTS, SNAPSHOT_CONTENTS})
"""They belong to how volumes are saved; Velero enters them in the lists of every backup."""


class ResourceFilter(Protocol):
    """Says which resources are listed, and which are left out even where others need them."""

    def includes(self, resource: Resource) -> bool:
        """Tell whether all objects of a resource are wanted."""

    def excludes(self, resource: Resource) -> bool:
        """Tell whether a resource outside of namespaces is not to be saved at all."""


@dataclass(frozen=True, slots=True)
class OldFilter:
    """One list for all resources, and a switch for those outside of namespaces."""

    names: Includes
    cluster: bool | None
    namespaces: Namespaces

    def includes(self, resource: Resource) -> bool:
        """Tell whether all objects of a resource are wanted."""
        name = str(resource)
        if not resource.kind.namespaced:
            if self.cluster is False:
                return False
            if self.cluster is None and name != NAMESPACES and not self.namespaces.everything:
                return False
        return self.names.has(name)

    def excludes(self, resource: Resource) -> bool:
        """Tell whether a resource outside of namespaces is not to be saved at all."""
        name = str(resource)
        if self.names.excludes(name):
            return True
        if resource.kind.namespaced or self.cluster:
            return False
        return self.cluster is False or not self.names.has(name)


@dataclass(frozen=True, slots=True)
class ScopedFilter:
    """Lists for the resources inside of namespaces, and lists for those outside."""

    inside: Includes
    outside: Includes
    namespaces: Namespaces

    def includes(self, resource: Resource) -> bool:
        """Tell whether all objects of a resource are wanted."""
        name = str(resource)
        if resource.kind.namespaced:
            return self.inside.has(name)
        if self.outside.excludes(name):
            return False
        if self._is_full:
            return True
        return name == NAMESPACES or matches(self.outside.included, name)

    def excludes(self, resource: Resource) -> bool:
        """Tell whether a resource outside of namespaces is not to be saved at all."""
        names = self.inside if resource.kind.namespaced else self.outside
        return names.excludes(str(resource))

    @property
    def _is_full(self) -> bool:
        """Whether nothing is left out, so that the backup is one of the whole cluster.

        What every backup leaves out does not count, be it in the lists or not.
        """
        inside = replace(self.inside, excluded=self.inside.excluded - ALWAYS_EXCLUDED)
        nothing_named = not self.outside.included and self.outside.excluded <= ALWAYS_EXCLUDED
        return nothing_named and inside.everything and self.namespaces.everything


Warn = Callable[[str], None]


def resource_filter(
    spec: BackupSpec,
    served: Served,
    namespaces: Namespaces,
    rules: ResourceRules | None,
    warn: Warn,
) -> ResourceFilter:
    """Make the filter of a spec; what it names in vain is warned of."""
    names = _Names(served, warn)
    if uses_old_filters(spec):
        included = names.resolve("includedResources", spec.included_resources)
        excluded = names.resolve("", spec.excluded_resources) - {ALL}
        lists = Includes(included, excluded | ALWAYS_EXCLUDED)
        return OldFilter(lists, spec.include_cluster_resources, namespaces)
    inside = Includes(
        names.resolve(
            "includedNamespaceScopedResources", spec.included_namespace_scoped_resources, True
        ),
        names.resolve("", spec.excluded_namespace_scoped_resources, True) | {SNAPSHOTS},
    )
    outside = Includes(
        names.resolve(
            "includedClusterScopedResources", spec.included_cluster_scoped_resources, False
        ),
        names.resolve("", spec.excluded_cluster_scoped_resources, False) | {SNAPSHOT_CONTENTS},
    )
    if rules is not None:
        inside = names.join(
            inside, rules.included_namespace_scoped, rules.excluded_namespace_scoped, True
        )
        outside = names.join(
            outside, rules.included_cluster_scoped, rules.excluded_cluster_scoped, False
        )
    return ScopedFilter(inside, outside, namespaces)


class _Names:
    """Finds the resources that lists name."""

    def __init__(self, served: Served, warn: Warn) -> None:
        self._served = served
        self._warn = warn

    def resolve(
        self, field: str, names: Iterable[str] | None, namespaced: bool | None = None
    ) -> frozenset[str]:
        """Give the full names; what is not served stays as it is, and matches nothing.

        So does what is of the other scope, in a list (`field`) that would mean all if it were
        empty; in others it is dropped.
        """
        found = (self._name(field, name, namespaced) for name in names or ())
        return frozenset(name for name in found if name)

    def _name(self, field: str, name: str, namespaced: bool | None) -> str:
        if name == ALL or is_pattern(name):
            return name
        found = self._served.resolve(name)
        if found is None:
            if field and name not in ALWAYS_EXCLUDED:
                self._warn(f"spec.{field} names {name!r}, which this cluster does not have")
            return name
        if namespaced is not None and found.kind.namespaced != namespaced:
            if not field:
                return ""
            where = "in" if found.kind.namespaced else "outside of"
            self._warn(f"spec.{field} names {name!r}, which is {where} namespaces")
            return name
        return str(found)

    def join(
        self, lists: Includes, included: Iterable[str], excluded: Iterable[str], namespaced: bool
    ) -> Includes:
        """Add what a policy names and the spec says nothing of."""
        for name in self.resolve("", excluded, namespaced):
            if not lists.excludes(name) and not matches(lists.included, name):
                lists = replace(lists, excluded=lists.excluded | {name})
        for name in self.resolve("", included, namespaced):
            if not lists.excludes(name) and not matches(lists.included, name):
                lists = replace(lists, included=lists.included | {name})
        return lists
