"""What this process did, and its caches may not show yet; and what needs no second look.

A watch brings our own writes back a moment later. Who decides before that decides on the past.
"""

from dataclasses import dataclass
from typing import Final

from kedge.aio.clock import Clock
from kedge.controllers.nar.heads import VeleroRestore
from kedge.runtime import Key
from kedge.runtime.version import is_older

LAG_SECONDS: Final = 5.0
"""A cache that does not show a write after so long may never do so: a store can go back in time."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A NonAdminRestore for which nothing was left to do, and of which versions that is true."""

    version: str
    restore: str
    """The name of its Velero Restore."""
    restore_version: str
    volumes: int
    position: int


class Memory:
    """Remembers the last deeds for each NonAdminRestore."""

    def __init__(self, clock: Clock) -> None:
        """Begin with nothing: after a start the caches are fresh."""
        self._clock = clock
        self._written: dict[Key, tuple[str, float]] = {}
        self._live: dict[Key, tuple[VeleroRestore | None, float]] = {}
        self._untold: dict[Key, VeleroRestore] = {}
        self.settled: dict[Key, Settled] = {}
        self.due: set[Key] = set()
        """Those that are to be told their position, though nothing else has changed."""

    def wrote(self, key: Key, version: str) -> None:
        """Take note of the version that a write gave to a NonAdminRestore."""
        self._written[key] = (version, self._clock.monotonic())

    def is_behind(self, key: Key, version: str) -> bool:
        """Tell whether a NonAdminRestore of this version is older than what we wrote."""
        written, since = self._written.get(key, ("", 0.0))
        if is_older(version, written) and self._clock.monotonic() - since < LAG_SECONDS:
            return True
        self._written.pop(key, None)
        return False

    def live(self, key: Key, restore: VeleroRestore | None) -> None:
        """Take note of a Velero Restore as the API has just shown it; None: it is gone."""
        self._live[key] = (restore, self._clock.monotonic())

    def made(self, key: Key, restore: VeleroRestore) -> None:
        """Take note of a Velero Restore that was made, until it is written that it was."""
        self._untold[key] = restore
        self.live(key, restore)

    def told(self, key: Key) -> None:
        """Take note that it is written that the Velero Restore was made."""
        self._untold.pop(key, None)

    def untold(self, key: Key) -> VeleroRestore | None:
        """Give the Velero Restore that was made, if that is still to be written."""
        return self._untold.get(key)

    def newer(self, key: Key, seen: VeleroRestore | None) -> tuple[VeleroRestore | None, bool]:
        """Give the Velero Restore as it was last known, and whether the cache has not shown it."""
        if key not in self._live:
            return seen, False
        live, since = self._live[key]
        if _is_caught_up(seen, live) or self._clock.monotonic() - since >= LAG_SECONDS:
            del self._live[key]
            return seen, False
        return live, live is not None

    def forget(self, key: Key) -> None:
        """Forget a NonAdminRestore that is gone."""
        self._written.pop(key, None)
        self._live.pop(key, None)
        self._untold.pop(key, None)
        self.settled.pop(key, None)
        self.due.discard(key)


def _is_caught_up(seen: VeleroRestore | None, live: VeleroRestore | None) -> bool:
    if seen is None or live is None:
        return seen is live
    return not is_older(seen.metadata.resource_version, live.metadata.resource_version)
