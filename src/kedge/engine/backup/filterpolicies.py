"""Rules that choose objects kind by kind, for some namespaces or outside of all. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from kedge.engine.backup.namespaces import pattern_problem
from kedge.engine.backup.policyparts import PolicyError, Strict
from kedge.engine.glob import glob_problem
from kedge.engine.includes import ALL, Includes
from kedge.kube.gotext import quote
from kedge.kube.requirements import SelectorError
from kedge.kube.selectors import Selector, from_object

CLUSTER: Final = "clusterScopedFilterPolicy"
NAMESPACED: Final = "namespacedFilterPolicies"
ANY: Final = Includes()


@dataclass(frozen=True, slots=True)
class ObjectFilter:
    """Which objects of a resource are wanted."""

    selectors: tuple[Selector, ...] = ()
    """Of which an object must match one; none: all labels will do."""
    names: Includes = ANY

    def selects(self, labels: Mapping[str, str] | None) -> bool:
        """Tell whether an object with these labels is wanted."""
        return not self.selectors or any(one.matches(labels) for one in self.selectors)


@dataclass(frozen=True, slots=True)
class KindRule:
    """Which objects of some kinds are wanted."""

    kinds: tuple[str, ...]
    """As people name them; none: all kinds that no other rule names."""
    wanted: ObjectFilter


@dataclass(frozen=True, slots=True)
class SpaceRules:
    """What is wanted of some namespaces: these kinds, and nothing else."""

    namespaces: tuple[str, ...]
    """Names and wildcards."""
    kinds: tuple[KindRule, ...]


@dataclass(frozen=True, slots=True)
class FilterPolicies:
    """The rules of one ConfigMap that choose objects kind by kind."""

    outside: tuple[KindRule, ...] = ()
    """For what is outside of namespaces; kinds without a rule are saved as if there were none."""
    inside: tuple[SpaceRules, ...] = ()

    @property
    def given(self) -> bool:
        """Whether there are any."""
        return bool(self.outside or self.inside)


NO_FILTERS: Final = FilterPolicies()


class _Requirement(Strict, frozen=True):
    key: str = ""
    operator: str = ""
    values: list[str] | None = None


class _Selector(Strict, frozen=True):
    match_labels: dict[str, str] | None = None
    match_expressions: list[_Requirement] | None = None


class KindPart(Strict, frozen=True):
    """An entry of `resourceFilters`."""

    kinds: list[str] | None = None
    label_selector: _Selector | None = None
    or_label_selectors: list[_Selector | None] | None = None
    names: list[str] | None = None
    excluded_names: list[str] | None = None

    @property
    def is_for_the_rest(self) -> bool:
        """Whether it is for all kinds that no other entry names."""
        return (self.kinds or [ALL]) == [ALL]


class ClusterPart(Strict, frozen=True):
    """`clusterScopedFilterPolicy`."""

    resource_filters: list[KindPart] | None = None


class SpacePart(Strict, frozen=True):
    """An entry of `namespacedFilterPolicies`."""

    namespaces: list[str] | None = None
    resource_filters: list[KindPart] | None = None


def read_filters(cluster: ClusterPart | None, spaces: Sequence[SpacePart]) -> FilterPolicies:
    """Read both sections; raises PolicyError, in Velero's words."""
    outside = () if cluster is None else _outside(cluster.resource_filters or ())
    inside = tuple(_space(f"{NAMESPACED}[{at}]", one) for at, one in enumerate(spaces))
    _check_twins(inside)
    return FilterPolicies(outside, inside)


def _outside(parts: Sequence[KindPart]) -> tuple[KindRule, ...]:
    if not parts:
        raise PolicyError(
            f"{CLUSTER}: resourceFilters cannot be empty; remove the policy block entirely if it "
            "is not needed"
        )
    rules = []
    for at, part, place in _each(CLUSTER, parts):
        if part.is_for_the_rest:
            raise PolicyError(f"{place}: kinds must be specified (catch-all is not supported)")
        _check_kinds(CLUSTER, parts[: at + 1], part.kinds or ())
        rules.append(_rule(place, part))
    return tuple(rules)


def _space(where: str, given: SpacePart) -> SpaceRules:
    namespaces, parts = given.namespaces or (), given.resource_filters or ()
    if not namespaces:
        raise PolicyError(f"{where}: at least one namespace must be specified")
    if not parts:
        raise PolicyError(f"{where}: at least one resourceFilter must be specified")
    for at, pattern in enumerate(namespaces):
        if problem := pattern_problem(pattern):
            raise PolicyError(f"{where}.namespaces[{at}]: {problem}")
    rules = []
    for at, part, place in _each(where, parts):
        if part.is_for_the_rest:
            if any(one.is_for_the_rest for one in parts[:at]):
                raise PolicyError(f"{where}: only one catch-all resource filter is allowed")
            if part.names or part.excluded_names:
                raise PolicyError(
                    f"{place}: names or excludedNames cannot be specified for catch-all filters"
                )
        _check_kinds(where, parts[: at + 1], [kind for kind in part.kinds or () if kind != ALL])
        rules.append(_rule(place, part))
    return SpaceRules(tuple(namespaces), tuple(rules))


def _each(where: str, parts: Sequence[KindPart]) -> Iterator[tuple[int, KindPart, str]]:
    for at, part in enumerate(parts):
        yield at, part, f"{where}.resourceFilters[{at}]"


def _check_kinds(where: str, parts: Sequence[KindPart], kinds: Iterable[str]) -> None:
    """Refuse kinds of the last part that are there twice."""
    named = [(kind, at) for at, part in enumerate(parts) for kind in part.kinds or ()]
    for kind in kinds:
        first, *others = (at for name, at in named if name == kind)
        if others:
            raise PolicyError(
                f"{where}: kind {quote(kind)} appears in both resourceFilters[{first}] and "
                f"resourceFilters[{others[0]}]"
            )


def _rule(place: str, part: KindPart) -> KindRule:
    either = part.or_label_selectors or ()
    one = _selector(part.label_selector, place) if not either else None
    if either and _is_given(part.label_selector):
        raise PolicyError(f"{place}: labelSelector and orLabelSelectors cannot co-exist")
    several = [
        _selector(given, f"{place}.orLabelSelectors[{at}]") for at, given in enumerate(either)
    ]
    for field, patterns in (("names", part.names), ("excludedNames", part.excluded_names)):
        for at, pattern in enumerate(patterns or ()):
            if problem := glob_problem(pattern):
                shown = f"invalid glob pattern {quote(pattern)}: {problem}"
                raise PolicyError(f"{place}.{field}[{at}]: {shown}")
    selectors = tuple(each for each in (one, *several) if each is not None)
    names = Includes.of(part.names, part.excluded_names)
    kinds = () if part.is_for_the_rest else tuple(part.kinds or ())
    return KindRule(kinds, ObjectFilter(selectors, names))


def _is_given(selector: _Selector | None) -> bool:
    """Tell whether a selector asks for anything; an empty one counts as none."""
    return selector is not None and bool(selector.match_labels or selector.match_expressions)


def _selector(given: _Selector | None, place: str) -> Selector | None:
    if not _is_given(given):
        return None
    try:
        return from_object(msgspec.to_builtins(given))
    except SelectorError as exc:
        raise PolicyError(f"{place}: invalid label selector: {exc}") from None


def _check_twins(spaces: Sequence[SpaceRules]) -> None:
    """Refuse namespaces that two entries name in the same words."""
    found: dict[str, list[int]] = {}
    for at, one in enumerate(spaces):
        for pattern in one.namespaces:
            found.setdefault(pattern, []).append(at)
    for pattern, places in found.items():
        if len(places) > 1:
            shown = " ".join(map(str, places))
            raise PolicyError(
                f"{NAMESPACED}: duplicate namespace pattern '{pattern}' found in policies [{shown}]"
            )
