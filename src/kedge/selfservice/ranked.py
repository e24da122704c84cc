"""Keys in order, of which each knows how many are before it. Pure.

They lie in blocks of a bounded size, and a Fenwick tree counts what the blocks hold: to put a key
in, to take it out and to tell its rank cost a logarithm, and a block to split now and then.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Any, Final, Generic, Protocol, TypeVar

BLOCK: Final = 128
"""A block that has twice as many keys is split."""


class Ordered(Protocol):
    """What can be told to be before another."""

    def __lt__(self, other: Any, /) -> bool:
        """Tell whether it is before the other."""


K = TypeVar("K", bound=Ordered)


class Ranked(Generic[K]):
    """A set of keys in order."""

    def __init__(self) -> None:
        """Begin empty."""
        self._blocks: list[list[K]] = []
        self._lasts: list[K] = []
        # The Fenwick tree: the count of a block is in a logarithm of places.
        self._counts: list[int] = []
        self._length = 0

    def __len__(self) -> int:
        """Count the keys."""
        return self._length

    def add(self, key: K) -> int:
        """Put a key in that is not there yet; give its rank."""
        if not self._blocks:
            self._blocks.append([])
            self._lasts.append(key)
            self._count_anew()
        at = min(bisect_left(self._lasts, key), len(self._blocks) - 1)
        block = self._blocks[at]
        insort(block, key)
        self._lasts[at] = block[-1]
        self._change(at, 1)
        if len(block) >= 2 * BLOCK:
            self._split(at)
        return self.rank(key)

    def remove(self, key: K) -> int:
        """Take a key out; give the rank that it had. Raises KeyError if it is not there."""
        at, inside = self._find(key)
        rank = self._before(at) + inside
        block = self._blocks[at]
        del block[inside]
        if block:
            self._lasts[at] = block[-1]
            self._change(at, -1)
        else:
            del self._blocks[at], self._lasts[at]
            self._length -= 1
            self._count_anew()
        return rank

    def rank(self, key: K) -> int:
        """Count the keys before one that is there; raises KeyError if it is not."""
        at, inside = self._find(key)
        return self._before(at) + inside

    def between(self, first: int, last: int) -> Iterator[K]:
        """Give the keys from one rank to before another, in order."""
        left = min(last, self._length) - max(first, 0)
        if left <= 0:
            return
        at, inside = self._at(max(first, 0))
        for block in self._blocks[at:]:
            piece = block[inside : inside + left]
            yield from piece
            left -= len(piece)
            inside = 0
            if left <= 0:
                return

    def _find(self, key: K) -> tuple[int, int]:
        at = bisect_left(self._lasts, key)
        if at < len(self._blocks):
            inside = bisect_left(self._blocks[at], key)
            if self._blocks[at][inside] == key:
                return at, inside
        raise KeyError(key)

    def _split(self, at: int) -> None:
        block = self._blocks[at]
        self._blocks[at : at + 1] = [block[:BLOCK], block[BLOCK:]]
        self._lasts[at : at + 1] = [block[BLOCK - 1], block[-1]]
        self._count_anew()

    def _count_anew(self) -> None:
        counts = [len(block) for block in self._blocks]
        for at in range(len(counts)):
            # Each place hands all that it holds on to the next that is to hold it as well.
            above = at | (at + 1)
            if above < len(counts):
                counts[above] += counts[at]
        self._counts = counts

    def _change(self, at: int, by: int) -> None:
        self._length += by
        while at < len(self._counts):
            self._counts[at] += by
            at |= at + 1

    def _before(self, at: int) -> int:
        total = 0
        while at > 0:
            total += self._counts[at - 1]
            at &= at - 1
        return total

    def _at(self, rank: int) -> tuple[int, int]:
        """Find the block and the place in it of a rank that there is."""
        at, step = 0, 1 << len(self._counts).bit_length()
        while step:
            end = at + step
            if end <= len(self._counts) and self._counts[end - 1] <= rank:
                at, rank = end, rank - self._counts[end - 1]
            step >>= 1
        return at, rank
