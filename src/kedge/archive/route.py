"""What a member of an archive is, by its path."""

from enum import IntEnum
from typing import Final, NamedTuple

from kedge.archive.item import CLUSTER, NAMESPACES, PREFERRED, RESOURCES, VERSION_FILE, Place

JSON: Final = ".json"


class Rank(IntEnum):
    """Which of several files of one object is read: the highest."""

    OTHER = 1
    """In a version that was not the preferred one of its cluster."""
    PREFERRED = 2
    """In the folder of the preferred version."""
    PLAIN = 3
    """In no folder of a version: this is what Velero reads."""


class Route(NamedTuple):
    """Which object a file is of."""

    place: Place
    rank: Rank
    version: str
    """Of the folder; empty if it is in none."""


def is_version_file(parts: list[str]) -> bool:
    """Tell whether a file tells the version of the format."""
    return len(parts) == 2 and "/".join(parts) == VERSION_FILE


def route(parts: list[str]) -> Route | None:
    """Give the object that a file is of; None if it is no item."""
    if len(parts) < 4 or parts[0] != RESOURCES or not parts[-1].endswith(JSON):
        return None
    resource, name = parts[1], parts[-1][: -len(JSON)]
    scope, rank, version = parts[2:-1], Rank.PLAIN, ""
    if scope[0] not in {CLUSTER, NAMESPACES}:
        version = scope.pop(0)
        rank = Rank.PREFERRED if version.endswith(PREFERRED) else Rank.OTHER
        version = version.removesuffix(PREFERRED)
    if not name:
        return None
    if scope == [CLUSTER]:
        return Route(Place(resource, "", name), rank, version)
    if len(scope) == 2 and scope[0] == NAMESPACES:
        return Route(Place(resource, scope[1], name), rank, version)
    return None
