"""What an archive holds, by resource: in a scratch file, so that memory does not grow with it."""

from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import BinaryIO

from kedge.archive.errors import ArchiveError
from kedge.archive.index import Index
from kedge.archive.item import Item, Place
from kedge.archive.limits import DEFAULT, Limits
from kedge.archive.reader import Reader
from kedge.archive.route import Rank
from kedge.archive.scratch import Record, Scratch
from kedge.archive.sift import Found, Sieve
from kedge.archive.versions import first_version


class Contents:
    """The items of an archive; the scratch file must stay open as long as this is used."""

    def __init__(self, sieve: Sieve, scratch: Scratch, index: Index, namespaces: set[str]) -> None:
        self.version = sieve.version
        """Of the format, as in `1.1.0`; empty if the archive does not tell."""
        self.warnings = sieve.ignored.all()
        """What was ignored, in words."""
        self.refused = sieve.refused.all()
        """Files that are not among the items, for they do not hold what they should: why, each."""
        self._scratch = scratch
        self._index = index
        self._namespaces = namespaces
        self._firsts = array("Q", accumulate(scratch.counts, initial=0))
        self._dead = bytearray(self._firsts[-1])
        self._counts: Counter[str] = Counter()
        for block, count in enumerate(scratch.counts):
            self._counts[scratch.resource_of(block)] += count
        for files in index.groups():
            self._choose(files)

    @property
    def resources(self) -> list[str]:
        """All resources that have an item, in the order of the archive."""
        return self._scratch.resources

    def count(self, resource: str) -> int:
        """Tell how many items of a resource there are."""
        return self._counts[resource]

    def places(self, resource: str) -> Iterator[Place]:
        """Go through the places of a resource, in the order of the archive."""
        for record in self._records(resource):
            yield Place(resource, record.namespace, record.name)

    def items(self, resource: str) -> Iterator[Item]:
        """Go through the items of a resource, in the order of the archive."""
        for record in self._records(resource):
            place = Place(resource, record.namespace, record.name)
            yield Item(place, record.version, record.data)

    def get(self, place: Place) -> bytes | None:
        """Find the JSON of one item; None if the archive does not have it."""
        for block, slot in self._index.find(place):
            if not self._dead[self._firsts[block] + slot]:
                return self._scratch.record(block, slot).data
        return None

    def namespaces(self) -> set[str]:
        """Give all namespaces that have an item."""
        return set(self._namespaces)

    def _records(self, resource: str) -> Iterator[Record]:
        for block in self._scratch.blocks(resource):
            first = self._firsts[block]
            for slot, record in enumerate(self._scratch.records(block)):
                if not self._dead[first + slot]:
                    yield record

    def _choose(self, files: list[tuple[int, int, Rank]]) -> None:
        """Leave one file of an object that has several."""
        highest = max(rank for _, _, rank in files)
        best = [(block, slot) for block, slot, rank in files if rank == highest]
        kept = best[0] if len(best) == 1 else self._preferred(best)
        for block, slot, _ in files:
            if (block, slot) != kept:
                self._dead[self._firsts[block] + slot] = True
                self._counts[self._scratch.resource_of(block)] -= 1

    def _preferred(self, files: list[tuple[int, int]]) -> tuple[int, int]:
        """Give the file with the version that comes first."""
        by_version: dict[str, tuple[int, int]] = {}
        for block, slot in files:
            record = self._scratch.record(block, slot)
            if record.version in by_version:
                parts = (self._scratch.resource_of(block), record.namespace, record.name)
                raise ArchiveError("/".join(filter(None, parts)), "it is there twice")
            by_version[record.version] = (block, slot)
        return by_version[first_version(by_version)]


class ContentsBuilder:
    """Reads an archive chunk by chunk; raises ArchiveError if it is not to be trusted."""

    def __init__(self, scratch: BinaryIO, limits: Limits = DEFAULT) -> None:
        self._reader = Reader(limits)
        self._sieve = Sieve()
        self._scratch = Scratch(scratch, limits.resources)
        self._index = Index()
        self._namespaces: set[str] = set()

    def feed(self, chunk: bytes) -> None:
        """Read some more of the `.tar.gz`: small chunks, for it takes a while."""
        for found in self._sieve.sift(self._reader.feed(chunk)):
            self._keep(found)

    def finish(self) -> Contents:
        """End the reading; raises ArchiveError unless the archive is whole."""
        self._reader.finish()
        if found := self._sieve.last():
            self._keep(found)
        self._scratch.flush()
        self._index.close()
        return Contents(self._sieve, self._scratch, self._index, self._namespaces)

    def _keep(self, found: Found) -> None:
        place = found.place
        record = Record(place.namespace, place.name, found.version, found.data)
        block, slot = self._scratch.add(place.resource, record)
        self._index.add(place, found.rank, block, slot)
        if place.namespace:
            self._namespaces.add(place.namespace)
