"""How many NonAdminBackups there are in each case."""

from dataclasses import dataclass

REAL, OURS = "real", "kedge"
TENANTS = 20
"""Namespaces over which they are spread."""
WARM_UP = 20
"""So many are made before those that count: nothing is measured while it wakes up."""


@dataclass(frozen=True)
class Effort:
    """How much is asked for."""

    sizes: tuple[int, ...]
    """So many are made at once."""
    turns: int
    """How often each size is made, each time on an API server of its own."""
    line: int
    """So many wait while one after the other is finished."""
    rounds: int
    bare: int
    """So many are written by a bare client."""


FULL = Effort((200, 1000, 5000), 3, 1200, 3, 1000)
QUICK = Effort((200,), 1, 200, 1, 200)
