"""Keys that are due later; of two times for one key the earlier wins."""

import heapq
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)

SPARE: Final = 64
"""So many entries more than twice the keys may be left behind before they are swept out."""


class Delays(Generic[K]):
    """A heap in which each key counts once; its times are seconds from any beginning.

    A key that gets an earlier time leaves its old entry behind, to be skipped when it comes up.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._due: dict[K, float] = {}
        self._heap: list[tuple[float, int, K]] = []
        self._count = 0

    def add(self, key: K, due: float) -> bool:
        """Have a key come up at a time, unless it does so before; tell whether it is the first."""
        known = self._due.get(key)
        if known is not None and known <= due:
            return False
        self._due[key] = due
        self._count += 1
        heapq.heappush(self._heap, (due, self._count, key))
        if len(self._heap) > 2 * len(self._due) + SPARE:
            self._sweep()
        return self._heap[0][2] == key

    def remove(self, key: K) -> None:
        """Forget when a key was to come up."""
        self._due.pop(key, None)

    def take(self, now: float) -> list[K]:
        """Take all keys whose time has come."""
        taken = []
        while self._heap and (self._heap[0][0] <= now or self._is_left(self._heap[0])):
            entry = heapq.heappop(self._heap)
            if not self._is_left(entry):
                del self._due[entry[2]]
                taken.append(entry[2])
        return taken

    def first(self) -> float | None:
        """Give the time of the next key."""
        while self._heap and self._is_left(self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def __len__(self) -> int:
        """Count the keys that wait."""
        return len(self._due)

    def _sweep(self) -> None:
        """Drop what is left behind: it might be due in a year."""
        self._heap = [entry for entry in self._heap if not self._is_left(entry)]
        heapq.heapify(self._heap)

    def _is_left(self, entry: tuple[float, int, K]) -> bool:
        due, _, key = entry
        return self._due.get(key) != due
