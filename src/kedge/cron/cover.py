"""The cheapest choice of pieces that together hold a set: branch and bound over bit masks."""

from collections.abc import Sequence
from typing import NamedTuple

NODES = 3_000
"""How many choices are tried at most; sets that people write need a few dozen."""

Cost = tuple[int, int]
"""What to make small first, and what decides between equals."""


class Piece(NamedTuple):
    """A part of a set, with its price and its name."""

    cost: Cost
    text: str
    mask: int


def cheapest_cover(needed: int, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return the pieces with the smallest total cost that hold every needed element."""
    search = _Search(needed, pieces)
    search.run(needed, (0, 0), ())
    return search.best


class _Search:
    """One search: the best cover so far, and what is known of the way."""

    def __init__(self, needed: int, pieces: Sequence[Piece]) -> None:
        ranked = sorted(pieces, key=lambda p: (p.cost[0] / (p.mask & needed).bit_count(), p.text))
        bits = [1 << n for n in range(needed.bit_length()) if needed >> n & 1]
        self.holders = {bit: [p for p in ranked if p.mask & bit] for bit in bits}
        # The least that an element can cost as its share of a piece. The shares of a remainder
        # add up to no more than any cover of it: the bound.
        self.share = {
            bit: min(p.cost[0] / (p.mask & needed).bit_count() for p in self.holders[bit])
            for bit in bits
        }
        self.best: tuple[Piece, ...] = ()
        self.price: Cost | None = None
        self.reached: dict[int, Cost] = {}
        self.nodes = 0

    def run(self, rest: int, spent: Cost, chosen: tuple[Piece, ...]) -> None:
        """Try all ways to hold the rest that can still beat the best."""
        if not rest:
            self.best, self.price = chosen, spent
            return
        self.nodes += 1
        bits = [bit for bit in self.holders if bit & rest]
        for piece in self.holders[min(bits, key=lambda bit: len(self.holders[bit]))]:
            left = rest & ~piece.mask
            cost = (spent[0] + piece.cost[0], spent[1] + piece.cost[1])
            if self._is_promising(left, cost):
                self.run(left, cost, (*chosen, piece))

    def _is_promising(self, left: int, cost: Cost) -> bool:
        if self.price is None:
            return True
        if self.nodes > NODES or cost >= self.reached.get(left, self.price):
            return False
        self.reached[left] = cost
        bound = cost[0] + sum(share for bit, share in self.share.items() if bit & left)
        return (bound - 1e-9, cost[1]) < self.price
