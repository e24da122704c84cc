"""Finds out what a backup is about: what the server has, and what of it is asked for."""

from dataclasses import dataclass
from typing import Final

from kedge.aio.together import together
from kedge.api.velero.backup import BackupSpec
from kedge.client.client import Client
from kedge.engine.backup.bound import Bound
from kedge.engine.backup.choice import Choice, Space, choice_of
from kedge.engine.backup.existing import existing_namespaces
from kedge.engine.backup.filters import NAMESPACES, resource_filter
from kedge.engine.backup.items import Typing
from kedge.engine.backup.namespaces import Existing, NamespaceFilter, Namespaces
from kedge.engine.backup.plan import plan, storable
from kedge.engine.backup.policies import Policies
from kedge.engine.backup.saved import Type
from kedge.engine.discovery import Served, discover
from kedge.engine.glob import is_pattern
from kedge.engine.includes import ALL
from kedge.engine.journal import Journal
from kedge.kube.selectors import Selector

NO_MATCH: Final = "no namespaces matched the resolution of wildcard patterns"
MISSING: Final = "fail to get the namespace {} specified in backup.Spec.IncludedNamespaces"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a backup is about."""

    served: Served
    types: dict[str, Type]
    """All that can be saved, by name, in the order in which it is listed."""
    listed: tuple[Type, ...]
    """What is listed, without namespaces."""
    namespaces: Namespaces
    existing: Existing
    selectors: tuple[Selector, ...]
    """Of which an object must match one; none: all objects are wanted."""
    choice: Choice
    """Which objects are wanted of what is listed."""
    spaces: tuple[Space, ...]
    """What is wanted of the namespaces that are in the backup."""


async def prepare(
    client: Client,
    spec: BackupSpec,
    policies: Policies | None,
    journal: Journal,
    bound: Bound | None = None,
) -> Prepared:
    """Ask the server what it has; raises ApiError or ClientError where it does not say."""
    served, existing = await together(discover(client), existing_namespaces(client, bound))
    namespaces = _namespaces(spec, existing, journal)
    policies = policies or Policies()
    wanted = resource_filter(spec, served, namespaces, policies.resources, journal.warning)
    selectors = selectors_of(spec)
    choice = choice_of(selectors, policies.filters, served, wanted, journal.warning)
    _tell_failures(served, spec, journal)
    resources = storable(served)
    chosen = plan(resources, wanted)
    types = {
        str(one): Type(one, wanted.includes(one), wanted.excludes(one), Typing(one.kind))
        for one in resources
    }
    _tell_namespaces(namespaces, existing, types.get(NAMESPACES), journal)
    listed = tuple(types[str(one)] for one in chosen if str(one) != NAMESPACES)
    spaces = _spaces(choice, namespaces, existing)
    return Prepared(served, types, listed, namespaces, existing, selectors, choice, spaces)


def selectors_of(spec: BackupSpec) -> tuple[Selector, ...]:
    """Give the selectors of a spec; raises SelectorError."""
    given = spec.or_label_selectors or ([spec.label_selector] if spec.label_selector else [])
    return tuple(one.selector for one in given)


def _spaces(choice: Choice, namespaces: Namespaces, existing: Existing) -> tuple[Space, ...]:
    if choice.is_plain:
        return (choice.elsewhere,)
    return tuple(dict.fromkeys(map(choice.space, filter(namespaces.has, sorted(existing.names)))))


def _namespaces(spec: BackupSpec, existing: Existing, journal: Journal) -> Namespaces:
    namespaces = NamespaceFilter.of(spec, existing.left_out).resolve(existing.names)
    if namespaces.expanded and not any(map(namespaces.has, existing.names)):
        journal.warning(NO_MATCH)
    return namespaces


def _tell_namespaces(
    namespaces: Namespaces, existing: Existing, type_: Type | None, journal: Journal
) -> None:
    """Tell which namespaces are meant, and which of those that are named are not there.

    As in Velero that is an error only where the namespaces themselves are to be saved.
    """
    tell = journal.error if type_ is not None and type_.included else journal.warning
    for name in namespaces.missing(existing.names):
        tell(MISSING.format(name), resource=NAMESPACES)
    included = ", ".join(sorted(namespaces.names.included))
    excluded = ", ".join(sorted(namespaces.names.excluded))
    journal.info(f"Including namespaces: {included or ('<none>' if namespaces.expanded else ALL)}")
    journal.info(f"Excluding namespaces: {excluded or '<none>'}")


def _tell_failures(served: Served, spec: BackupSpec, journal: Journal) -> None:
    """Tell of groups that could not be found out: what they have is not in the backup.

    As in Velero it is a warning: the one that serves metrics is down in many a cluster. It is an
    error where the spec asks for what may be in such a group.
    """
    names = _included(spec)
    is_any_unknown = any(_is_unknown(name, served) for name in names)
    for one in served.failures:
        where = f"{one.group}/{one.version}" if one.group else one.version
        text = f"Failed to discover the resources of {where}, so none of them is in the backup"
        if is_any_unknown or any(name.endswith(f".{one.group}") for name in names):
            journal.error(text, error=one.why)
        elif not names or any(map(is_pattern, names)):
            journal.warning(text, error=one.why)
        else:
            journal.info(text, error=one.why)


def _is_unknown(name: str, served: Served) -> bool:
    """Tell whether a name without a group is that of nothing that is served."""
    return "." not in name and not is_pattern(name) and served.resolve(name) is None


def _included(spec: BackupSpec) -> list[str]:
    """Give the names in all lists of resources to include."""
    lists = (
        spec.included_resources,
        spec.included_namespace_scoped_resources,
        spec.included_cluster_scoped_resources,
    )
    return [name for one in lists for name in one or ()]
