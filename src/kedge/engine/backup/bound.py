"""How new the lists of a backup must be."""

from collections.abc import Container
from dataclasses import dataclass, field


@dataclass(slots=True)
class Bound:
    """What the lists of one backup must have seen; as it is made: each write so far."""

    version: str = ""
    """Lists need not be newer than this resourceVersion; empty: they are exact."""
    shared: Container[str] = ()
    """The resources of which it is known that they are counted with this version."""
    seen: dict[str, set[str]] = field(default_factory=dict)
    """The versions of the lists that were read, by resource."""
    refused: set[str] = field(default_factory=set)
    """The resources whose server does not answer to such a version."""

    def of(self, resource: str) -> str:
        """Give the version that a list of a resource must have seen; empty: it is exact."""
        is_bound = resource in self.shared and resource not in self.refused
        return self.version if is_bound else ""

    def saw(self, resource: str, version: str) -> None:
        """Note which version a list had."""
        self.seen.setdefault(resource, set()).add(version)
