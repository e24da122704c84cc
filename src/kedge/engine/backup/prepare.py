"""Finds out what a backup is about: what the server has, and what of it is asked for."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

from kedge.api.velero.backup import BackupSpec
from kedge.client.client import Client
from kedge.engine.backup.filters import NAMESPACES, resource_filter
from kedge.engine.backup.items import Typing
from kedge.engine.backup.namespaces import NamespaceFilter, Namespaces
from kedge.engine.backup.plan import plan, storable
from kedge.engine.backup.policies import Policies
from kedge.engine.backup.saved import Type
from kedge.engine.discovery import Failure, Served, discover
from kedge.engine.glob import is_pattern
from kedge.engine.includes import ALL
from kedge.engine.journal import Journal
from kedge.kube.kind import plain
from kedge.kube.selectors import Selector

NO_MATCH: Final = "no namespaces matched the resolution of wildcard patterns"
MISSING: Final = "fail to get the namespace {} specified in backup.Spec.IncludedNamespaces"
STORELESS: Final = frozenset({"metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"})
"""Groups that have nothing that could be saved: not to know them is no loss."""
_NAMESPACE_KIND: Final = plain("v1", NAMESPACES, NAMESPACES, namespaced=False)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a backup is about."""

    served: Served
    types: dict[str, Type]
    """All that can be saved, by name, in the order in which it is listed."""
    listed: tuple[Type, ...]
    """What is listed, without namespaces."""
    namespaces: Namespaces
    existing: frozenset[str]
    selectors: tuple[Selector, ...]
    """Of which an object must match one; none: all objects are wanted."""

    @property
    def label_texts(self) -> tuple[str, ...]:
        """The selectors as a server takes them; one that selects everything if there are none."""
        return tuple(dict.fromkeys(map(str, self.selectors))) or ("",)


async def prepare(
    client: Client, spec: BackupSpec, policies: Policies | None, journal: Journal
) -> Prepared:
    """Ask the server what it has; raises ApiError or ClientError where it does not say."""
    served = await discover(client)
    existing = frozenset([one async for one in _namespace_names(client)])
    namespaces = _namespaces(spec, existing, journal)
    rules = policies.resources if policies else None
    wanted = resource_filter(spec, served, namespaces, rules, journal.warning)
    _tell_failures(served.failures, spec, journal)
    resources = storable(served)
    chosen = plan(resources, wanted)
    types = {
        str(one): Type(one, wanted.includes(one), wanted.excludes(one), Typing(one.kind))
        for one in resources
    }
    listed = tuple(types[str(one)] for one in chosen if str(one) != NAMESPACES)
    return Prepared(served, types, listed, namespaces, existing, selectors_of(spec))


def selectors_of(spec: BackupSpec) -> tuple[Selector, ...]:
    """Give the selectors of a spec; raises SelectorError."""
    given = spec.or_label_selectors or ([spec.label_selector] if spec.label_selector else [])
    return tuple(one.selector for one in given)


async def _namespace_names(client: Client) -> AsyncIterator[str]:
    async for one in client.list(_NAMESPACE_KIND.partial):
        yield one.metadata.name


def _namespaces(spec: BackupSpec, existing: frozenset[str], journal: Journal) -> Namespaces:
    namespaces = NamespaceFilter.of(spec).resolve(existing)
    if namespaces.expanded and not any(map(namespaces.has, existing)):
        journal.warning(NO_MATCH)
    for name in namespaces.missing(existing):
        journal.error(MISSING.format(name), resource=NAMESPACES)
    included = ", ".join(sorted(namespaces.names.included))
    excluded = ", ".join(sorted(namespaces.names.excluded))
    journal.info(f"Including namespaces: {included or ('<none>' if namespaces.expanded else ALL)}")
    journal.info(f"Excluding namespaces: {excluded or '<none>'}")
    return namespaces


def _tell_failures(failures: Sequence[Failure], spec: BackupSpec, journal: Journal) -> None:
    """Tell of groups that could not be found out: what they have is not in the backup."""
    for one in failures:
        where = f"{one.group}/{one.version}" if one.group else one.version
        text = f"Failed to discover the resources of {where}, so none of them is in the backup"
        tell = journal.warning if one.group in STORELESS else journal.error
        if not _may_name(spec, one.group):
            tell = journal.info
        tell(text, error=one.why)


def _may_name(spec: BackupSpec, group: str) -> bool:
    """Tell whether the lists of a spec leave room for resources of a group."""
    lists = (
        spec.included_resources,
        spec.included_namespace_scoped_resources,
        spec.included_cluster_scoped_resources,
    )
    names = [name for one in lists for name in one or ()]
    return not names or any(is_pattern(name) or name.endswith(f".{group}") for name in names)
