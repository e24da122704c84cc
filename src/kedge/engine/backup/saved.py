"""What is in the archive by now."""

from dataclasses import dataclass, field

from kedge.archive.item import Place
from kedge.engine.backup.items import Typing
from kedge.engine.discovery import Resource


@dataclass(slots=True)
class Type:
    """A resource in a backup: what decides about its objects, and which of them are saved."""

    resource: Resource
    included: bool
    """Whether its objects are listed."""
    excluded: bool
    """Whether they are not to be saved even where others need them."""
    typing: Typing
    saved: dict[str, None] = field(default_factory=dict)
    """`namespace/name`, or `name` outside of namespaces, in the order in which they came: to sort
    what is almost in order takes no time."""
    refused: set[str] = field(default_factory=set)
    """Those that are not to be saved, whoever needs them."""
    name: str = field(init=False)
    """The name with the group, as in `deployments.apps`."""

    def __post_init__(self) -> None:
        """Write the name once: each object asks for it."""
        self.name = str(self.resource)

    @property
    def label(self) -> str:
        """The name in the list of what a backup holds, as in `apps/v1/Deployment`."""
        return f"{self.resource.kind.api_version}/{self.resource.kind.name}"


def key_of(namespace: str, name: str) -> str:
    """Write the place of an object within its resource."""
    return f"{namespace}/{name}" if namespace else name


def place_of(resource: str, key: str) -> Place:
    """Give the place that was written so."""
    namespace, _, name = key.rpartition("/")
    return Place(resource, namespace, name)
