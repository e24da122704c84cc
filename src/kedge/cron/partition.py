"""Cut a set into the fewest of given parts, no two of which share an element: an exact search.

Sets are bit masks.
"""

from collections.abc import Iterable

from kedge.cron.fields import union

STEPS = 2_000_000
"""How many parts are looked at before the search gives up, which takes some tenths of a second; a
plan needs some thousands."""
TURN = 20
"""What a turn of the search takes beside that, in parts looked at."""


class _GivenUp(Exception):
    """The search takes too long."""


def smaller_partition(
    parts: Iterable[int], fewer_than: int, steps: int = STEPS
) -> list[int] | None:
    """Return the fewest disjoint parts that make up the union of all, if fewer than a number.

    None when there are none, or when it takes too long to find out.
    """
    search = _Search(sorted(parts, key=lambda part: (-part.bit_count(), part)), steps)
    try:
        for number in range(1, fewer_than):
            found = search.split(search.everything, number)
            if found is not None:
                return found
    except _GivenUp:
        pass
    return None


class _Search:
    """One search, and what is known of the parts."""

    def __init__(self, parts: list[int], steps: int) -> None:
        self.everything = union(parts)
        bits = [1 << n for n in range(self.everything.bit_length())]
        self.holding = {bit: [part for part in parts if part & bit] for bit in bits}
        self.company = {bit: union(holding) for bit, holding in self.holding.items()}
        self.steps = steps
        self.failed: set[tuple[int, int]] = set()

    def split(self, left: int, number: int) -> list[int] | None:
        """Return so many disjoint parts, or less, that make up what is left."""
        if not left:
            return []
        self._spend(TURN)
        if (left, number) in self.failed or self._strangers(left) > number:
            return None
        parts = self.holding[left & -left]
        self._spend(len(parts))
        for part in parts:
            if part & left == part:
                rest = self.split(left & ~part, number - 1)
                if rest is not None:
                    return [part, *rest]
        self.failed.add((left, number))
        return None

    def _spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise _GivenUp

    def _strangers(self, left: int) -> int:
        """Count elements no two of which are ever in one part: each needs a part of its own."""
        count = 0
        while left:
            left &= ~self.company[left & -left]
            count += 1
        return count
