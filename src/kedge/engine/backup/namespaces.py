"""Which namespaces a backup is about. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import msgspec

from kedge.api.velero.backup import BackupSpec
from kedge.engine.glob import matcher
from kedge.engine.includes import ALL, Includes

_UNSUPPORTED: Final = frozenset("|()!{},")
_WILDCARDS: Final = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Existing:
    """The namespaces that there were at one moment."""

    names: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    """Those that carry the label that keeps them out of backups, sorted."""
    objects: tuple[msgspec.Raw | bytes, ...] | None = None
    """The objects; None: they are too large to be kept."""


@dataclass(frozen=True, slots=True)
class Namespaces:
    """The namespaces that a backup is about, its wildcards resolved."""

    names: Includes
    expanded: bool = False
    """Whether there were wildcards that stand for names now, perhaps for none."""

    def has(self, name: str) -> bool:
        """Tell whether a namespace is included."""
        if self.expanded and not self.names.included:
            return False
        return self.names.has(name)

    @property
    def everything(self) -> bool:
        """Whether all namespaces are included, those to come as well."""
        return not self.expanded and self.names.everything

    @property
    def listed(self) -> list[str] | None:
        """The namespaces to be listed one by one; None: all are listed at once."""
        if not self.expanded and self.names.takes_all:
            return None
        return sorted(name for name in self.names.included if name and self.has(name))

    def missing(self, existing: Iterable[str]) -> list[str]:
        """Give the names that are asked for, and are not there."""
        return sorted(self.names.included - {ALL} - set(existing))


@dataclass(frozen=True, slots=True)
class NamespaceFilter:
    """Namespaces to include and to leave out, as a spec names them."""

    names: Includes

    @classmethod
    def of(cls, spec: BackupSpec, left_out: Iterable[str] = ()) -> "NamespaceFilter":
        """Take the filter of a spec; some more namespaces may be left out by their labels."""
        excluded = [*(spec.excluded_namespaces or ()), *left_out]
        return cls(Includes.of(spec.included_namespaces, excluded))

    def resolve(self, existing: Iterable[str]) -> Namespaces:
        """Put names in the place of wildcards; raises ValueError at a pattern that is none."""
        included, excluded = self.names.included, self.names.excluded
        if self.names.takes_all or not any(map(is_wildcard, included | excluded)):
            return Namespaces(self.names)
        for pattern in sorted(included | excluded):
            problem = pattern_problem(pattern)
            if problem:
                raise ValueError(problem)
        known = list(existing)
        names = Includes(_expanded(included, known), _expanded(excluded, known))
        return Namespaces(names, expanded=True)


def namespaces_of(spec: BackupSpec, existing: Iterable[str]) -> frozenset[str]:
    """Give those of the existing namespaces that a backup is about; none if its filter is bad."""
    known = list(existing)
    try:
        resolved = NamespaceFilter.of(spec).resolve(known)
    except ValueError:
        return frozenset()
    return frozenset(name for name in known if resolved.has(name))


def is_wildcard(text: str) -> bool:
    """Tell whether a name of a namespace is a pattern."""
    return not _WILDCARDS.isdisjoint(text)


def pattern_problem(pattern: str) -> str:
    """Say why a text is no pattern for namespaces, in Velero's words; empty if it is one."""
    if not _UNSUPPORTED.isdisjoint(pattern):
        return "wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,"
    if "**" in pattern:
        return "wildcard pattern contains consecutive asterisks (only single * allowed)"
    at = 0
    while at < len(pattern):
        if pattern[at] == "]":
            return "wildcard pattern contains unmatched closing bracket ']'"
        if pattern[at] == "[":
            end = pattern.find("]", at)
            if end < 0:
                return "wildcard pattern contains unclosed bracket '['"
            if end == at + 1:
                return "wildcard pattern contains empty bracket pattern '[]'"
            at = end
        at += 1
    return ""


def _expanded(patterns: Iterable[str], existing: list[str]) -> frozenset[str]:
    found: set[str] = set()
    for pattern in patterns:
        if is_wildcard(pattern):
            found.update(filter(matcher(pattern), existing))
        else:
            found.add(pattern)
    return frozenset(found)
