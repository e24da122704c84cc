"""From the files of an archive to its items: one file of each object, checked; the rest told."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from kedge.archive.check import Wrong, check_item
from kedge.archive.errors import ArchiveError, shown
from kedge.archive.item import VERSION_FILE, Place
from kedge.archive.path import Path
from kedge.archive.reader import Member
from kedge.archive.route import Rank, Route, Shelf, is_version_file, route
from kedge.archive.versions import first_version

KEPT_TEXTS: Final = 1_000
"""So many texts about files that are ignored or refused are kept, and of the others the number."""
KNOWN: Final = "1"
"""The only major version of the format that there is."""


class Found(Struct, frozen=True, gc=False):
    """A file of an object that is what it should be."""

    place: Place
    rank: Rank
    version: str
    """Of the API, as the object itself tells it."""
    data: bytes


class Texts:
    """Texts, but not more than a person would read."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[str] = []

    def add(self, text: str) -> None:
        """Keep one more, or at least count it."""
        self.count += 1
        if self.count <= KEPT_TEXTS:
            self._kept.append(text)

    def all(self) -> list[str]:
        """Give the texts, and how many more there were."""
        more = self.count - len(self._kept)
        return [*self._kept, f"and {more} more like these"] if more else list(self._kept)


class Sieve:
    """Takes files in the order of the archive.

    Velero writes each item twice in a row; of files of one object that follow each other only the
    one that counts is looked at. Files that are further apart are for the caller to tell apart.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.version = ""
        """Of the format; empty as long as no file has told it."""
        self.ignored = Texts()
        self.refused = Texts()
        self._strict = strict
        self._route: Route | None = None
        self._data = b""
        self._path = Path((), "")
        self._seen: list[Shelf] = []

    def sift(self, members: Iterator[Member]) -> Iterator[Found]:
        """Give the items of some more files; the last one only when the next one has come."""
        for path, data in members:
            new = route(path)
            if new is None:
                self._other(path, data)
            elif self._route is not None and new.place == self._route.place:
                self._again(path, new, data)
            else:
                if found := self.last():
                    yield found
                self._route, self._data, self._path = new, data, path
                self._seen = [new.shelf]

    def last(self) -> Found | None:
        """Give the item that waits for the next one; None: there is none, or it was refused."""
        if self._route is None:
            return None
        place, shelf = self._route.place, self._route.shelf
        self._route = None
        try:
            version = check_item(place, self._data)
        except Wrong as exc:
            self._refuse(self._path, str(exc))
            return None
        return Found(place, shelf.rank, version, self._data)

    def _again(self, path: Path, new: Route, data: bytes) -> None:
        """Take another file of the same object: only the better one counts."""
        assert self._route is not None
        if new.shelf in self._seen:
            raise ArchiveError(str(path), "it is there twice")
        self._seen.append(new.shelf)
        if self._strict and data != self._data:
            raise ArchiveError(str(path), "it differs from the other file of its object")
        if _is_better(new.shelf, self._route.shelf):
            self._route, self._data, self._path = new, data, path

    def _other(self, path: Path, data: bytes) -> None:
        if is_version_file(path):
            self._read_version(data)
        elif self._strict:
            raise ArchiveError(str(path), "it is no item of a backup")
        else:
            self.ignored.add(f"Ignoring unexpected file {shown(str(path))!r}")

    def _refuse(self, path: Path, reason: str) -> None:
        refusal = ArchiveError(str(path), reason)
        if self._strict:
            raise refusal
        self.refused.add(str(refusal))

    def _read_version(self, data: bytes) -> None:
        version = data[:64].decode("utf-8", "replace").strip()
        if self.version:
            raise ArchiveError(VERSION_FILE, "it is there twice")
        if version.partition(".")[0] != KNOWN:
            reason = f"the version of the format is {version!r}, and only {KNOWN}.x is known"
            raise ArchiveError(VERSION_FILE, reason)
        self.version = version


def _is_better(new: Shelf, old: Shelf) -> bool:
    if new.rank != old.rank:
        return new.rank > old.rank
    return first_version((old.version, new.version)) == new.version
