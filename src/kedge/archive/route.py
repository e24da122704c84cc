"""What a member of an archive is, by its path."""

from enum import IntEnum
from functools import lru_cache
from typing import Final

from msgspec import Struct

from kedge.archive.item import CLUSTER, NAMESPACES, PREFERRED, RESOURCES, VERSION_FILE, Place
from kedge.archive.path import Path

JSON: Final = ".json"
KEPT: Final = 64
"""Folders whose meaning is at hand: files of one folder mostly follow each other."""


class Rank(IntEnum):
    """Which of several files of one object is read: the highest."""

    OTHER = 1
    """In a version that was not the preferred one of its cluster."""
    PREFERRED = 2
    """In the folder of the preferred version."""
    PLAIN = 3
    """In no folder of a version: this is what Velero reads."""


class Shelf(Struct, frozen=True, gc=False):
    """What a folder of an archive holds."""

    resource: str
    namespace: str
    """Empty: objects of the cluster."""
    rank: Rank
    version: str
    """Of the folder; empty if it is in none."""


class Route(Struct, frozen=True, gc=False):
    """Which object a file is of."""

    place: Place
    shelf: Shelf


def is_version_file(path: Path) -> bool:
    """Tell whether a file tells the version of the format."""
    return len(path.folder) == 1 and str(path) == VERSION_FILE


def route(path: Path) -> Route | None:
    """Give the object that a file is of; None if it is no item."""
    shelf = _shelf(path.folder)
    name = path.file[: -len(JSON)]
    if shelf is None or not name or not path.file.endswith(JSON):
        return None
    return Route(Place(shelf.resource, shelf.namespace, name), shelf)


@lru_cache(KEPT)
def _shelf(folder: tuple[str, ...]) -> Shelf | None:
    if len(folder) < 3 or folder[0] != RESOURCES:
        return None
    resource, scope, rank, version = folder[1], folder[2:], Rank.PLAIN, ""
    if scope[0] not in {CLUSTER, NAMESPACES}:
        version, *rest = scope
        scope = tuple(rest)
        rank = Rank.PREFERRED if version.endswith(PREFERRED) else Rank.OTHER
        version = version.removesuffix(PREFERRED)
    if scope == (CLUSTER,):
        return Shelf(resource, "", rank, version)
    if len(scope) == 2 and scope[0] == NAMESPACES:
        return Shelf(resource, scope[1], rank, version)
    return None
