"""One rule of a role: what it allows, and which other rules it covers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kedge.kube.gotext import quote

ALL: Final = "*"


@dataclass(frozen=True, slots=True)
class Rule:
    """A PolicyRule, ready to be asked."""

    verbs: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    @classmethod
    def of(cls, rule: Mapping[str, Any]) -> "Rule":
        """Read a rule of a Role or ClusterRole."""
        return cls(
            tuple(rule.get("verbs") or ()),
            tuple(rule.get("apiGroups") or ()),
            tuple(rule.get("resources") or ()),
            tuple(rule.get("resourceNames") or ()),
            tuple(rule.get("nonResourceURLs") or ()),
        )

    def allows_resource(self, verb: str, group: str, resource: str, subresource: str) -> bool:
        """Whether it allows the verb on the resource, as far as names do not matter."""
        return (
            _has(self.verbs, verb)
            and _has(self.groups, group)
            and self._has_resource(resource, subresource)
        )

    def allows_path(self, verb: str, path: str) -> bool:
        """Whether it allows the verb on a path that is no resource."""
        return _has(self.verbs, verb) and any(_path_covers(own, path) for own in self.paths)

    def covers(self, atom: "Rule") -> bool:
        """Whether it allows all that a rule of one verb, one resource and one name allows."""
        return (
            _has_all(self.verbs, atom.verbs)
            and _has_all(self.groups, atom.groups)
            and all(_resource_covers(self.resources, one) for one in atom.resources)
            and (not self.names or (bool(atom.names) and set(atom.names) <= set(self.names)))
            and all(any(_path_covers(own, path) for own in self.paths) for path in atom.paths)
        )

    def _has_resource(self, resource: str, subresource: str) -> bool:
        if ALL in self.resources:
            return True
        if not subresource:
            return resource in self.resources
        return f"{resource}/{subresource}" in self.resources or f"*/{subresource}" in self.resources

    def __str__(self) -> str:
        """Write the rule as messages do."""
        fields = (
            ("APIGroups", self.groups),
            ("Resources", self.resources),
            ("NonResourceURLs", self.paths),
            ("ResourceNames", self.names),
            ("Verbs", self.verbs),
        )
        shown = (f"{name}:{quoted(values)}" for name, values in fields if values)
        return "{" + ", ".join(shown) + "}"


def rules_of(role: Mapping[str, Any]) -> tuple[Rule, ...]:
    """All rules of a Role or ClusterRole."""
    return tuple(Rule.of(rule) for rule in role.get("rules") or ())


def quoted(values: Iterable[str]) -> str:
    """Write a list of texts as messages do: `["a" "b"]`."""
    return f"[{' '.join(map(quote, values))}]"


def atoms(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Break rules down to one verb on one resource (of one name, if any) or on one path."""
    for rule in rules:
        for group in rule.groups:
            for resource in rule.resources:
                for verb in rule.verbs:
                    for name in rule.names or ("",):
                        names = (name,) if rule.names else ()
                        yield Rule((verb,), (group,), (resource,), names)
        for path in rule.paths:
            for verb in rule.verbs:
                yield Rule((verb,), paths=(path,))


def combinations(rules: Iterable[Rule]) -> int:
    """How many atoms there are."""
    return sum(
        len(rule.verbs)
        * (len(rule.groups) * len(rule.resources) * max(len(rule.names), 1) + len(rule.paths))
        for rule in rules
    )


def missing(held: Sequence[Rule], wanted: Iterable[Rule]) -> list[Rule]:
    """Find the atoms of the wanted rules that the held ones do not cover."""
    same = set(held)  # a rule covers all of itself: most are found so, without a look at atoms
    others = (rule for rule in wanted if rule not in same)
    return [atom for atom in atoms(others) if not any(rule.covers(atom) for rule in held)]


def compact(found: Iterable[Rule]) -> list[Rule]:
    """Atoms on the same resource as one rule with all their verbs."""
    rest: list[Rule] = []
    joined: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for atom in found:
        if atom.paths:
            rest.append(atom)
        else:
            joined.setdefault((atom.groups, atom.resources, atom.names), []).extend(atom.verbs)
    return rest + [Rule(tuple(verbs), *place) for place, verbs in joined.items()]


def _has(values: tuple[str, ...], wanted: str) -> bool:
    return wanted in values or ALL in values


def _has_all(values: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return ALL in values or all(one in values for one in wanted)


def _resource_covers(own: tuple[str, ...], wanted: str) -> bool:
    if ALL in own or wanted in own:
        return True
    _, slash, subresource = wanted.partition("/")
    return bool(slash) and f"*/{subresource}" in own


def _path_covers(own: str, path: str) -> bool:
    return own == path or (own.endswith(ALL) and path.startswith(own.rstrip(ALL)))
