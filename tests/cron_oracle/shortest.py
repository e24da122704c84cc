"""The shortest text of a field, by trying all lists of pieces.

`a/1` is left out on purpose: `50/1` is shorter than `50-59`, but people expect the latter.
"""

from collections.abc import Iterable, Iterator
from functools import cache

MOST_STATES = 3_000


class TooLarge(Exception):
    """The search would take too long to be worth it."""


def pieces(low: int, high: int) -> Iterator[tuple[str, frozenset[int]]]:
    """Give all pieces a field can hold, with their values."""
    yield "*", frozenset(range(low, high + 1))
    for first in range(low, high + 1):
        yield str(first), frozenset([first])
        for last in range(first + 1, high + 1):
            yield f"{first}-{last}", frozenset(range(first, last + 1))
        for step in range(2, high - low + 1):
            yield f"{first}/{step}", frozenset(range(first, high + 1, step))
            for last in range(first + step, high + 1):
                yield f"{first}-{last}/{step}", frozenset(range(first, last + 1, step))
    for step in range(2, high - low + 1):
        yield f"*/{step}", frozenset(range(low, high + 1, step))


def mask(values: Iterable[int]) -> int:
    """Hold values as the bits of a number."""
    return sum(1 << value for value in set(values))


@cache
def known_pieces(low: int, high: int) -> dict[int, int]:
    """Map what a single piece can say to the length of its shortest text."""
    known: dict[int, int] = {}
    for text, values in pieces(low, high):
        said = mask(values)
        known[said] = min(len(text), known.get(said, len(text)))
    return known


def useful_pieces(low: int, high: int, needed: int, free: int) -> list[tuple[int, int]]:
    """List the pieces that fit, without those that another one beats."""
    fitting: dict[int, int] = {}
    for said, length in known_pieces(low, high).items():
        key = said & needed
        if key and not said & ~(needed | free):
            fitting[key] = min(length, fitting.get(key, length))
    kept: list[tuple[int, int]] = []
    for said, length in sorted(fitting.items(), key=lambda item: (item[1], -item[0].bit_count())):
        if not any(said & ~other == 0 for other, _ in kept):
            kept.append((said, length))
    return kept


def shortest_length(
    values: frozenset[int], low: int, high: int, free: frozenset[int] = frozenset()
) -> int:
    """Give the length of the shortest list that says `values` and maybe some of `free`."""
    useful = useful_pieces(low, high, mask(values), mask(free))
    states: dict[int, int] = {0: -1}

    def best(left: int) -> int:
        if left not in states:
            if len(states) > MOST_STATES:
                raise TooLarge
            target = left & -left
            states[left] = min(
                length + 1 + best(left & ~said) for said, length in useful if said & target
            )
        return states[left]

    return best(mask(values))
