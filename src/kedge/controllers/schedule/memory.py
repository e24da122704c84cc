"""What this process did, and its caches may not show yet.

A watch brings our own writes back a moment later. Who decides before that decides on the past.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kedge.aio.clock import Clock
from kedge.controllers.schedule.decide import Child
from kedge.runtime import Key
from kedge.runtime.version import is_older

LAG_SECONDS: Final = 5.0
"""A cache that does not show a write after so long may never do so: a store can go back in time."""
UNSEEN_SECONDS: Final = 330.0
"""A little longer than a watch can be dead before that is noticed. What no watch tells of for so
long was deleted at once."""


class Memory:
    """Remembers the last deeds for each Schedule."""

    def __init__(self, clock: Clock) -> None:
        """Begin with nothing: after a start the caches are fresh."""
        self._clock = clock
        self._written: dict[Key, tuple[str, float]] = {}
        self._made: dict[Key, tuple[Child, float]] = {}
        self._told: set[Key] = set()
        self._blocked: set[Key] = set()
        self._warned: dict[Key, tuple[str, ...]] = {}

    def wrote(self, key: Key, version: str) -> None:
        """Take note of the version that a write gave to a Schedule."""
        self._written[key] = (version, self._clock.monotonic())
        self._told.add(key)

    def is_behind(self, key: Key, version: str) -> bool:
        """Tell whether a Schedule of this version is older than what we wrote."""
        written, since = self._written.get(key, ("", 0.0))
        if is_older(version, written) and self._clock.monotonic() - since < LAG_SECONDS:
            return True
        self._written.pop(key, None)
        return False

    def made(self, key: Key, child: Child) -> None:
        """Take note of a Backup that was made for a Schedule, and of when that was by our clock."""
        self._made[key] = (child, self._clock.monotonic())
        self._told.discard(key)

    def with_made(self, key: Key, seen: Sequence[Child]) -> Sequence[Child]:
        """Give the Backups of a Schedule, and the last that was made if it was not seen yet.

        Until a status tells of it, the time of its making is ours: the server's clock may lag.
        """
        if key not in self._made:
            return seen
        child, since = self._made[key]
        found = next((one for one in seen if one.name == child.name), None)
        is_settled = found is not None and key in self._told
        if is_settled or self._clock.monotonic() - since >= UNSEEN_SECONDS:
            del self._made[key]
            return seen
        others = [one for one in seen if one.name != child.name]
        return [*others, replace(found or child, created=child.created)]

    def blocks(self, key: Key, *, is_blocked: bool) -> bool:
        """Take note of whether a Schedule is blocked; tell whether it is so newly."""
        is_new = is_blocked and key not in self._blocked
        if is_blocked:
            self._blocked.add(key)
        else:
            self._blocked.discard(key)
        return is_new

    def warns(self, key: Key, warnings: tuple[str, ...]) -> bool:
        """Take note of what a Schedule is warned of; tell whether there is something new."""
        before = self._warned.pop(key, ())
        if warnings:
            self._warned[key] = warnings
        return bool(set(warnings) - set(before))

    def forget(self, key: Key) -> None:
        """Forget a Schedule that is gone."""
        self._written.pop(key, None)
        self._made.pop(key, None)
        self._told.discard(key)
        self._blocked.discard(key)
        self._warned.pop(key, None)
