"""One object of a backup, and where it lies in the archive."""

from dataclasses import dataclass
from typing import Final

from kedge.archive.errors import ArchiveError

RESOURCES: Final = "resources"
CLUSTER: Final = "cluster"
NAMESPACES: Final = "namespaces"
PREFERRED: Final = "-preferredversion"
VERSION_FILE: Final = "metadata/version"
FORMAT: Final = "1.1.0"
"""The version of the format that we write."""

PART_LIMIT: Final = 320
"""Characters of a resource with its group, a namespace or a name: all that Kubernetes gives."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Which object: its resource with its group, its namespace, its name."""

    resource: str
    """As in `deployments.apps`; without a group as in `pods`."""
    namespace: str
    """Empty for an object of the cluster."""
    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """One object as it is kept."""

    place: Place
    version: str
    """Of its API group, as in `v1`."""
    data: bytes
    """The whole object, as compact JSON."""


def item_paths(place: Place, version: str) -> tuple[str, str]:
    """Give both paths under which an item is kept: without and with its preferred version."""
    for part in (place.resource, place.name, version):
        _check(place, part)
    if place.namespace:
        _check(place, place.namespace)
        rest = f"{NAMESPACES}/{place.namespace}/{place.name}.json"
    else:
        rest = f"{CLUSTER}/{place.name}.json"
    top = f"{RESOURCES}/{place.resource}/"
    return f"{top}{rest}", f"{top}{version}{PREFERRED}/{rest}"


def _check(place: Place, part: str) -> None:
    is_text = part.isascii() or not any("\ud800" <= char <= "\udfff" for char in part)
    is_short = len(part) <= PART_LIMIT
    if not part or "/" in part or "\0" in part or part in {".", ".."} or not (is_text and is_short):
        where = f"{place.resource}/{place.namespace}/{place.name}"
        raise ArchiveError(where, f"{part[:64]!r} cannot be part of a path")
