"""The order in which kinds come back."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

Resolve = Callable[[str], str]

SEPARATOR: Final = "-"
"""Between the kinds that come first and those that come last."""

HIGH: Final = (
    "customresourcedefinitions",
    "namespaces",
    "storageclasses",
    "volumesnapshotclass.snapshot.storage.k8s.io",
    "volumesnapshotcontents.snapshot.storage.k8s.io",
    "volumesnapshots.snapshot.storage.k8s.io",
    "datauploads.velero.io",
    "persistentvolumes",
    "persistentvolumeclaims",
    "clusterroles",
    "roles",
    "serviceaccounts",
    "clusterrolebindings",
    "rolebindings",
    "secrets",
    "configmaps",
    "limitranges",
    "priorityclasses",
    "pods",
    "replicasets.apps",
    "clusterclasses.cluster.x-k8s.io",
    "endpoints",
    "services",
)
"""First, in this order."""
LOW: Final = (
    "clusterbootstraps.run.tanzu.vmware.com",
    "clusters.cluster.x-k8s.io",
    "clusterresourcesets.addons.cluster.x-k8s.io",
    "apps.kappctrl.k14s.io",
    "packageinstalls.packaging.carvel.dev",
)
"""Last, in this order."""


@dataclass(frozen=True, slots=True)
class Priorities:
    """Kinds that come first and kinds that come last; all others in between, by their names."""

    high: tuple[str, ...] = HIGH
    low: tuple[str, ...] = LOW


DEFAULT: Final = Priorities()


class PriorityError(ValueError):
    """Text that is no list of priorities."""


def parse(text: str, default: Priorities = DEFAULT) -> Priorities:
    """Read `a,b,-,y,z`: a and b first, y and z last; a side that is left out is the default."""
    names = text.split(",") if text else []
    if names.count(SEPARATOR) > 1:
        raise PriorityError(f'multiple priority separator "{SEPARATOR}" found')
    at = names.index(SEPARATOR) if SEPARATOR in names else len(names)
    high, low = tuple(names[:at]), tuple(names[at + 1 :])
    return Priorities(high or default.high, low or default.low)


def names_in(resources: Iterable[str], resolve: Resolve) -> Resolve:
    """Resolve names by an archive as well: a kind may be in there only, with its definition."""
    there = sorted(set(resources))
    return lambda name: _name_in(there, name, resolve(name)) or resolve(name)


def ordered(resources: Iterable[str], priorities: Priorities, resolve: Resolve) -> list[str]:
    """Put the resources of an archive in order; `resolve` gives the full name of a short one."""
    there = sorted(set(resources))
    first = _found(priorities.high, there, resolve)
    last = [each for each in _found(priorities.low, there, resolve) if each not in first]
    ends = {*first, *last}
    return [*first, *(each for each in there if each not in ends), *last]


def _found(names: Sequence[str], there: list[str], resolve: Resolve) -> list[str]:
    found = {_name_in(there, name, resolve(name)): None for name in names}
    return [each for each in found if each]


def _name_in(there: list[str], given: str, resolved: str) -> str:
    """Find what a name stands for in the archive, also where the cluster does not know it."""
    for name in (resolved, given):
        if name in there:
            return name
    if "." in given:
        return ""
    return next((each for each in there if each.partition(".")[0] == given), "")
