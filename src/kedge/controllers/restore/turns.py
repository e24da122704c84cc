"""Who may run: so many at a time, the others in the order in which they were made."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from kedge.runtime import Key

Age = tuple[str, int]
"""When a Restore was made, and its version then: the older comes first."""
UNKNOWN: Age = ("", 0)


@dataclass(slots=True)
class Turns:
    """Gives turns; whoever has to wait is woken when it is the oldest and there is room.

    All that are expected count, so that a start does not begin with whoever is looked at first.
    """

    limit: int
    wake: Callable[[Key], None]
    _running: set[Key] = field(default_factory=set)
    _expected: dict[Key, Age] = field(default_factory=dict)
    # Those that left are taken out when they come up.
    _line: list[tuple[Age, Key]] = field(default_factory=list)

    def expect(self, key: Key, age: Age = UNKNOWN) -> None:
        """Take note of one that will want a turn; its age is the one that is told first."""
        if key not in self._expected and key not in self._running:
            self._expected[key] = age
            heapq.heappush(self._line, (age, key))

    def take(self, key: Key, age: Age = UNKNOWN) -> bool:
        """Tell whether it is this one's turn, which it then has; else it waits."""
        self.expect(key, age)
        if len(self._running) < self.limit and self._first() == key:
            del self._expected[key]
            self._running.add(key)
            self._call()
            return True
        self._call()
        return False

    def leave(self, key: Key) -> None:
        """Give a turn back, or wait no longer."""
        self._running.discard(key)
        self._expected.pop(key, None)
        self._call()

    def drop(self, key: Key) -> None:
        """Do not expect one any longer; if it has its turn, it keeps that."""
        if self._expected.pop(key, None) is not None:
            self._call()

    def _call(self) -> None:
        """Wake the oldest, if there is room."""
        first = self._first() if len(self._running) < self.limit else None
        if first is not None:
            self.wake(first)

    def _first(self) -> Key | None:
        while self._line:
            age, key = self._line[0]
            if self._expected.get(key) == age:
                return key
            heapq.heappop(self._line)
        return None
