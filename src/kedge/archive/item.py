"""One object of a backup, and where it lies in the archive."""

from functools import lru_cache
from typing import Final

from msgspec import Struct

from kedge.archive.errors import ArchiveError

RESOURCES: Final = "resources"
CLUSTER: Final = "cluster"
NAMESPACES: Final = "namespaces"
PREFERRED: Final = "-preferredversion"
VERSION_FILE: Final = "metadata/version"
FORMAT: Final = "1.1.0"
"""The version of the format that we write."""

KEPT: Final = 64
"""Folders that are at hand: items of one resource and namespace mostly follow each other."""
PART_LIMIT: Final = 320
"""Characters of a resource with its group, a namespace or a name: all that Kubernetes gives."""


class Place(Struct, frozen=True, order=True, gc=False):
    """Which object: its resource with its group, its namespace, its name."""

    resource: str
    """As in `deployments.apps`; without a group as in `pods`."""
    namespace: str
    """Empty for an object of the cluster."""
    name: str


class Item(Struct, frozen=True, gc=False):
    """One object as it is kept."""

    place: Place
    version: str
    """Of its API group, as in `v1`."""
    data: bytes
    """The whole object, as compact JSON."""


def item_paths(place: Place, version: str) -> tuple[str, str]:
    """Give both paths under which an item is kept: without and with its preferred version."""
    try:
        plain, versioned = _folders(place.resource, place.namespace, version)
        name = _checked(place.name)
    except _Misfit as exc:
        where = f"{place.resource}/{place.namespace}/{place.name}"
        raise ArchiveError(where, f"{exc.part[:64]!r} cannot be part of a path") from None
    return f"{plain}/{name}.json", f"{versioned}/{name}.json"


class _Misfit(Exception):
    """A text that can not be a part of a path."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.part = part


@lru_cache(KEPT)
def _folders(resource: str, namespace: str, version: str) -> tuple[str, str]:
    """Give both folders of the items that have all this in common."""
    scope = f"{NAMESPACES}/{_checked(namespace)}" if namespace else CLUSTER
    top = f"{RESOURCES}/{_checked(resource)}"
    return f"{top}/{scope}", f"{top}/{_checked(version)}{PREFERRED}/{scope}"


def _checked(part: str) -> str:
    is_text = part.isascii() or not any("\ud800" <= char <= "\udfff" for char in part)
    is_short = len(part) <= PART_LIMIT
    if not part or "/" in part or "\0" in part or part in {".", ".."} or not (is_text and is_short):
        raise _Misfit(part)
    return part
