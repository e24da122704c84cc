"""How new the lists of a backup must be: as new as the Backup, and as the last seconds.

From Kubernetes 1.31 on, a list that must have seen each write waits for up to 100 ms if there was
one of late. Of backups that follow one another each would wait so. One that need only have seen
what was written until two seconds ago seldom waits, and then the next ones do not.

Versions can be compared only where they come from one store. A cluster may keep some kinds in
another (events, mostly), or have other servers serve them. So each kind is read exactly until its
versions were found between two of our own, one written before the list and one after it.

A list that was empty, and is as new as another backup needs it, is not asked for again: most lists
of a namespace are empty, and backups of one namespace often follow one another, such as those of a
day, a week and a month.
"""

from collections import deque
from typing import Final

from kedge.aio.clock import Clock
from kedge.engine.backup.bound import Bound, Listed
from kedge.runtime import Key
from kedge.runtime.version import is_older

RECENT_SECONDS: Final = 2.0
"""What was written before this time is always seen."""


class Recency:
    """Says what a list must have seen; one for all backups."""

    def __init__(self, clock: Clock) -> None:
        """Know nothing yet: all lists are exact."""
        self._clock = clock
        self._writes: deque[tuple[float, str]] = deque()
        self._arrived: dict[Key, str] = {}
        self._is_shared: dict[str, bool] = {}
        self._empty: dict[Listed, str] = {}

    def wrote(self, version: str) -> None:
        """Note a version that was just written."""
        self._writes.append((self._clock.monotonic(), version))
        self._forget_old()

    def arrived(self, key: Key, version: str) -> None:
        """Note the first version of a Backup that was seen: it is not older than the Backup."""
        self._arrived[key] = version

    def left(self, key: Key) -> None:
        """Forget a Backup that is gone."""
        self._arrived.pop(key, None)

    def bound(self, key: Key, version: str) -> Bound:
        """Give what the lists of a Backup must have seen, which is now of this version."""
        arrived = self._arrived.pop(key, version)
        self._forget_old()
        if not self._writes:
            self._empty.clear()
            return Bound()
        oldest = self._writes[0][1]
        needed = arrived if is_older(oldest, arrived) else oldest
        # What is older than our oldest write is so for all that come.
        self._empty = {one: at for one, at in self._empty.items() if not is_older(at, oldest)}
        return Bound(
            needed,
            {name for name, is_shared in self._is_shared.items() if is_shared},
            {one for one, at in self._empty.items() if not is_older(at, needed)},
        )

    def learn(self, bound: Bound, before: str, after: str) -> None:
        """Learn from lists that were read between two writes which kinds share their store."""
        for resource, versions in bound.seen.items():
            least = bound.of(resource) or before
            fits = all(_is_between(least, version, after) for version in versions)
            # One that was outside once stays so: what fitted before did so by chance.
            self._is_shared[resource] = fits and self._is_shared.get(resource, True)
        for resource in bound.refused:
            self._is_shared[resource] = False
        self._empty.update(bound.found_empty)

    def _forget_old(self) -> None:
        limit = self._clock.monotonic() - RECENT_SECONDS
        while self._writes and self._writes[0][0] < limit:
            self._writes.popleft()


def _is_between(least: str, version: str, most: str) -> bool:
    """Tell whether a version lies between two others; of what is no number nothing is known."""
    if not version.isdecimal():
        return False
    return not is_older(version, least) and not is_older(most, version)
