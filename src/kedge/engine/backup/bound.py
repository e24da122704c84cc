"""How new the lists of a backup must be."""

from collections.abc import Container
from dataclasses import dataclass, field

from kedge.client.requests import Selection

Listed = tuple[str, Selection]
"""A list: the resource, and which of its objects."""


@dataclass(slots=True)
class Bound:
    """What the lists of one backup must have seen; as it is made: each write so far."""

    version: str = ""
    """Lists need not be newer than this resourceVersion; empty: they are exact."""
    shared: Container[str] = ()
    """The resources of which it is known that they are counted with this version."""
    empty: Container[Listed] = ()
    """Lists that had nothing in them when they were as new as this version."""
    seen: dict[str, set[str]] = field(default_factory=dict)
    """The versions of the lists that were read, by resource."""
    found_empty: dict[Listed, str] = field(default_factory=dict)
    """The lists that had nothing in them, and their versions."""
    refused: set[str] = field(default_factory=set)
    """The resources whose server does not answer to such a version."""

    def of(self, resource: str) -> str:
        """Give the version that a list of a resource must have seen; empty: it is exact."""
        is_bound = resource in self.shared and resource not in self.refused
        return self.version if is_bound else ""

    def is_empty(self, listed: Listed) -> bool:
        """Tell whether a list need not be read: it was empty when it was new enough."""
        return listed in self.empty and bool(self.of(listed[0]))

    def saw(self, listed: Listed, version: str, *, is_empty: bool = False) -> None:
        """Note which version a list had."""
        self.seen.setdefault(listed[0], set()).add(version)
        if is_empty:
            self.found_empty[listed] = version
