"""Lists of what to include and what to leave out, with patterns."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kedge.engine.glob import matcher

ALL: Final = "*"


@dataclass(frozen=True, slots=True)
class Includes:
    """Names to include and names to leave out; none to include means all."""

    included: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()

    @classmethod
    def of(cls, included: Iterable[str] | None, excluded: Iterable[str] | None) -> "Includes":
        """Make them from two lists, either of which may be absent."""
        return cls(frozenset(included or ()), frozenset(excluded or ()))

    def has(self, name: str) -> bool:
        """Tell whether a name is included."""
        return not self.excludes(name) and (self.takes_all or matches(self.included, name))

    def excludes(self, name: str) -> bool:
        """Tell whether a name is left out by name."""
        return matches(self.excluded, name)

    @property
    def takes_all(self) -> bool:
        """Whether all is included that is not left out."""
        return not self.included or ALL in self.included

    @property
    def everything(self) -> bool:
        """Whether all is included, and nothing left out."""
        return not self.excluded and self.included <= {ALL}


def matches(patterns: Iterable[str], name: str) -> bool:
    """Tell whether one of the patterns matches."""
    return any(matcher(pattern)(name) for pattern in patterns)
