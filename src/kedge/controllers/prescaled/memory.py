"""What this process wrote, and its caches may not show yet.

A watch brings our own writes back a moment later. Who decides before that decides on the past.
"""

from collections.abc import Mapping
from typing import Final

from kedge.aio.clock import Clock
from kedge.runtime import Key
from kedge.runtime.version import is_older

LAG_SECONDS: Final = 5.0
"""A cache that does not show a write after so long may never do so."""

ITSELF: Final = ""


class Memory:
    """Remembers the last writes for each PreScaledCronJob, and what is of no use to try again."""

    def __init__(self, clock: Clock) -> None:
        """Begin with nothing: after a start the caches are fresh."""
        self._clock = clock
        self._written: dict[Key, dict[str, tuple[str, float]]] = {}
        self._refused: dict[Key, int] = {}

    def wrote(self, key: Key, version: str, child: str = ITSELF) -> None:
        """Take note of the version that a write gave to an object, or to a CronJob of its."""
        self._written.setdefault(key, {})[child] = (version, self._clock.monotonic())

    def is_behind(self, key: Key, versions: Mapping[str, str]) -> bool:
        """Tell whether caches that have these versions do not show our writes yet."""
        written = self._written.get(key)
        if not written:
            return False
        for name, (version, since) in list(written.items()):
            is_past = name not in versions or is_older(versions[name], version)
            if is_past and self._clock.monotonic() - since < LAG_SECONDS:
                return True
            del written[name]
        return False

    def refused(self, key: Key, generation: int) -> None:
        """Take note that the server does not take what this generation asks for."""
        self._refused[key] = generation

    def is_refused(self, key: Key, generation: int) -> bool:
        """Tell whether there is no use in trying again."""
        return self._refused.get(key) == generation

    def forget(self, key: Key) -> None:
        """Forget an object that is gone."""
        self._refused.pop(key, None)
        self._written.pop(key, None)
