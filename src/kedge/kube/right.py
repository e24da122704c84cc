"""A right that a program needs: what it does with which objects. Pure."""

from dataclasses import dataclass
from typing import Any

from kedge.kube.kind import Kind


@dataclass(frozen=True, slots=True)
class Right:
    """Leave to do something with the objects of a resource, in the namespace of the program."""

    group: str
    """Empty for the core group."""
    resource: str
    """A plural, with a slash and the subresource if it is one: `schedules/status`."""
    verbs: tuple[str, ...]
    names: tuple[str, ...] = ()
    """Of the objects that are meant; none: all. What is to be created or listed has no name yet."""

    @property
    def rule(self) -> dict[str, Any]:
        """The right as a rule of a Role."""
        rule: dict[str, Any] = {
            "apiGroups": [self.group],
            "resources": [self.resource],
            "verbs": list(self.verbs),
        }
        return rule | ({"resourceNames": list(self.names)} if self.names else {})


def right(
    kind: Kind[Any], *verbs: str, subresource: str = "", names: tuple[str, ...] = ()
) -> Right:
    """Make a right to do something with the objects of a kind, or with a subresource of theirs."""
    end = f"/{subresource}" if subresource else ""
    return Right(kind.group, f"{kind.plural}{end}", verbs, names)
