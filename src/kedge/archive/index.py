"""Where each object of an archive is, in 24 bytes an object, and which are there twice."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from hashlib import blake2b
from struct import Struct
from typing import Final

from kedge.archive.item import Place
from kedge.archive.route import Rank

_TWO: Final = Struct("<QQ")
_RANK_BITS: Final = 2
_SLOT_BITS: Final = 24


def digest(place: Place) -> tuple[int, int]:
    """Give a number of 128 bits that no other place has."""
    text = f"{place.resource}/{place.namespace}/{place.name}"
    hashed = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    high, low = _TWO.unpack(hashed)
    return high, low


class Index:
    """Finds objects by their place; it takes all of them first, then it is closed."""

    def __init__(self) -> None:
        self._high = array("Q")
        self._low = array("Q")
        self._where = array("Q")

    def add(self, place: Place, rank: Rank, block: int, slot: int) -> None:
        """Take note of where a file of an object is."""
        high, low = digest(place)
        self._high.append(high)
        self._low.append(low)
        self._where.append((block << _SLOT_BITS | slot) << _RANK_BITS | rank)

    def close(self) -> None:
        """Sort, so that objects can be found."""
        order = sorted(range(len(self._high)), key=self._high.__getitem__)
        for name in ("_high", "_low", "_where"):
            values = getattr(self, name)
            setattr(self, name, array("Q", (values[number] for number in order)))

    def find(self, place: Place) -> Iterator[tuple[int, int]]:
        """Go through the blocks and slots that have a file of an object."""
        high, low = digest(place)
        at = bisect_left(self._high, high)
        while at < len(self._high) and self._high[at] == high:
            if self._low[at] == low:
                block, slot, _ = _unpacked(self._where[at])
                yield block, slot
            at += 1

    def groups(self) -> Iterator[list[tuple[int, int, Rank]]]:
        """Go through the objects that have several files: where each is, with its rank."""
        start, count = 0, len(self._high)
        while start < count:
            end = start + 1
            while end < count and self._high[end] == self._high[start]:
                end += 1
            if end - start > 1:
                yield from self._same(range(start, end))
            start = end

    def _same(self, numbers: range) -> Iterator[list[tuple[int, int, Rank]]]:
        by_low: dict[int, list[int]] = {}
        for number in numbers:
            by_low.setdefault(self._low[number], []).append(self._where[number])
        for places in by_low.values():
            if len(places) > 1:
                yield [_unpacked(where) for where in places]


def _unpacked(where: int) -> tuple[int, int, Rank]:
    position = where >> _RANK_BITS
    slot = position & ((1 << _SLOT_BITS) - 1)
    return position >> _SLOT_BITS, slot, Rank(where & 3)
