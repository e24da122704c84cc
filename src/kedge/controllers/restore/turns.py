"""Who may run: so many at a time, the others in the order in which they came."""

from collections.abc import Callable
from dataclasses import dataclass, field

from kedge.runtime import Key


@dataclass(slots=True)
class Turns:
    """Gives turns; whoever has to wait is woken when there is room."""

    limit: int
    wake: Callable[[Key], None]
    _running: set[Key] = field(default_factory=set)
    _waiting: dict[Key, None] = field(default_factory=dict)

    def take(self, key: Key) -> bool:
        """Tell whether it is this one's turn, which it then has; else it waits."""
        ahead = next(iter(self._waiting), key)
        if len(self._running) < self.limit and ahead == key:
            self._waiting.pop(key, None)
            self._running.add(key)
            self._call()
            return True
        self._waiting[key] = None
        return False

    def leave(self, key: Key) -> None:
        """Give a turn back, or wait no longer."""
        self._running.discard(key)
        self._waiting.pop(key, None)
        self._call()

    def _call(self) -> None:
        """Wake the one that has waited longest, if there is room."""
        if self._waiting and len(self._running) < self.limit:
            self.wake(next(iter(self._waiting)))
