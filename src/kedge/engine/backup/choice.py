"""Which objects are wanted of what a backup lists, namespace by namespace. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from kedge.engine.backup.filterpolicies import (
    CLUSTER,
    NAMESPACED,
    FilterPolicies,
    KindRule,
    ObjectFilter,
    SpaceRules,
)
from kedge.engine.backup.filters import NAMESPACES, ResourceFilter, Warn
from kedge.engine.backup.items import Meta
from kedge.engine.backup.namespaces import is_wildcard
from kedge.engine.discovery import Resource, Served
from kedge.engine.glob import Matcher, matcher
from kedge.kube.gotext import quote
from kedge.kube.selectors import Selector

WRONG_SCOPE: Final = {
    CLUSTER: f"kind {{}} in {CLUSTER} is namespace-scoped; it will never match in a cluster-scoped "
    f"filter — did you mean {NAMESPACED}?",
    NAMESPACED: f"kind {{}} in {NAMESPACED} is cluster-scoped; it will never match in a "
    f"namespace-scoped filter — did you mean {CLUSTER}?",
}
UNKNOWN: Final = "kind {} in {} is none that this cluster has"
IN_VAIN: Final = (
    f"{NAMESPACED} entry lists a kind that is globally excluded by includeExcludePolicy; the "
    "per-namespace filter entry has no effect: {} in {}"
)

NO_LABELS: Final = (
    f"{CLUSTER} asks for labels of namespaces, which has no effect: they are chosen by what the "
    "backup includes, and by name"
)


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """What is wanted of a namespace, or of what is outside of all."""

    rest: ObjectFilter | None
    """For resources without a filter of their own; None: they are not listed."""
    by_resource: Mapping[str, ObjectFilter] = field(default_factory=dict)

    def of(self, resource: str) -> ObjectFilter | None:
        """Give the filter of a resource; None: it is not listed."""
        return self.by_resource.get(resource, self.rest)

    def has_all(self, resource: str) -> bool:
        """Tell whether all objects of a resource are listed, whatever their labels."""
        wanted = self.of(resource)
        return wanted is not None and not wanted.selectors


@dataclass(frozen=True)
class Choice:
    """The filters of all namespaces, and of what is outside of them."""

    outside: Space
    elsewhere: Space
    """For namespaces that no rule is for."""
    by_name: Mapping[str, Space] = field(default_factory=dict)
    by_pattern: tuple[tuple[Matcher, Space], ...] = ()
    """Of which the first that matches counts."""
    is_plain: bool = field(init=False)
    """Whether there are no rules, so that the lists have what is wanted and nothing else."""
    _known: dict[str, Space] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find out once: each object asks for it."""
        rules = self.outside.by_resource or self.by_name or self.by_pattern
        object.__setattr__(self, "is_plain", not rules)

    def space(self, namespace: str) -> Space:
        """Give what is wanted of a namespace; without a name: of what is outside of all."""
        if not namespace:
            return self.outside
        known = self._known.get(namespace)
        if known is None:
            known = self._known[namespace] = self._space(namespace)
        return known

    def _space(self, namespace: str) -> Space:
        exact = self.by_name.get(namespace)
        if exact is not None:
            return exact
        found = (space for matches, space in self.by_pattern if matches(namespace))
        return next(found, self.elsewhere)

    def labels(self, resource: str, spaces: Iterable[Space]) -> list[str]:
        """Give selectors, as a server takes them, for lists that have all that is wanted.

        Where spaces want different things the lists have more than that.
        """
        found: dict[str, None] = {}
        for space in dict.fromkeys(spaces):
            wanted = space.of(resource)
            if wanted is None:
                continue
            if not wanted.selectors:
                return [""]
            found.update(dict.fromkeys(map(str, wanted.selectors)))
        return list(found)

    def selects(self, resource: str, meta: Meta) -> bool:
        """Tell whether an object is one that should be in the lists."""
        wanted = self.space(meta.namespace).of(resource)
        return wanted is not None and wanted.selects(meta.labels)

    def has_name(self, resource: str, namespace: str, name: str) -> bool:
        """Tell whether an object may be saved by its name, also where others need it."""
        wanted = self.space(namespace).of(resource)
        return wanted is None or wanted.names.has(name)


def choice_of(
    selectors: tuple[Selector, ...],
    rules: FilterPolicies,
    served: Served,
    wanted: ResourceFilter,
    warn: Warn,
) -> Choice:
    """Put the selectors of a spec and the rules of a policy together; warn of what is in vain."""
    usual = ObjectFilter(selectors)
    kinds = _Kinds(served, warn)
    outside = Space(usual, kinds.resolve(rules.outside, CLUSTER))
    if NAMESPACES in outside.by_resource and not outside.has_all(NAMESPACES):
        warn(NO_LABELS)
    by_name: dict[str, Space] = {}
    by_pattern: list[tuple[Matcher, Space]] = []
    for one in rules.inside:
        space = _space(one, kinds)
        for pattern in one.namespaces:
            if is_wildcard(pattern):
                by_pattern.append((matcher(pattern), space))
            else:
                by_name[pattern] = space
        for name in space.by_resource:
            resource = served.get(name)
            if resource is not None and wanted.excludes(resource):
                warn(IN_VAIN.format(name, ", ".join(one.namespaces)))
    return Choice(outside, Space(usual), by_name, tuple(by_pattern))


def _space(rules: SpaceRules, kinds: "_Kinds") -> Space:
    rest = next((one.wanted for one in rules.kinds if not one.kinds), None)
    return Space(rest, kinds.resolve(rules.kinds, NAMESPACED))


class _Kinds:
    """Finds the resources that rules name."""

    def __init__(self, served: Served, warn: Warn) -> None:
        self._served = served
        self._warn = warn

    def resolve(self, rules: Iterable[KindRule], section: str) -> dict[str, ObjectFilter]:
        """Give the filters by the full names; what is not of the section's scope is left out."""
        found = {}
        for rule in rules:
            for kind in rule.kinds:
                resource = self._find(kind, section)
                if resource is not None:
                    found[str(resource)] = rule.wanted
        return found

    def _find(self, kind: str, section: str) -> Resource | None:
        found = self._served.resolve(kind)
        if found is None:
            self._warn(UNKNOWN.format(quote(kind), section))
        elif found.kind.namespaced != (section == NAMESPACED):
            self._warn(WRONG_SCOPE[section].format(quote(kind)))
            return None
        return found
