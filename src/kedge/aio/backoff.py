"""How long to wait after a failure: longer each time, up to a bound, with jitter."""

import random
from collections.abc import Callable
from dataclasses import dataclass

DOUBLINGS = 64
"""Past this many failures the bound is reached whatever the numbers; a float would overflow."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays of first, first * factor, … up to `most` seconds; each made longer by jitter."""

    first: float = 0.5
    most: float = 30.0
    factor: float = 2.0
    jitter: float = 0.5
    """The most by which a delay grows, as a share of it, so that many do not come at once."""
    draw: Callable[[], float] = random.random

    def delay(self, failures: int) -> float:
        """Give the seconds to wait after this many failures in a row, at least one."""
        plain = min(self.most, self.first * self.factor ** min(failures - 1, DOUBLINGS))
        return plain * (1 + self.jitter * self.draw())
