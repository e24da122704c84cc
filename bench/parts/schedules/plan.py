"""How many Schedules there are in each case, and how long things take."""

from dataclasses import dataclass

REAL, OURS = "real", "kedge"
FEW, RESTED = "few", "few, rested"
BATCH, LIMITED = "batch", "batch, limited"
CROWD = "crowd"


@dataclass(frozen=True)
class Effort:
    """How much is asked for."""

    few: int
    rounds: int  # of a few, at most: as many as there is time for
    batch: int
    crowd: int
    idle_seconds: float
    is_crowd_due: bool
    is_limited: bool  # the batch a second time, with the limits that `kedge server` has


FULL = Effort(10, 10, 1000, 10_000, 60, is_crowd_due=True, is_limited=True)
QUICK = Effort(10, 3, 200, 1000, 20, is_crowd_due=False, is_limited=False)
