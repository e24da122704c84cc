"""How far a restore has come."""

from dataclasses import dataclass


@dataclass(slots=True)
class Progress:
    """How far a restore has come; read it whenever you like."""

    total: int = 0
    """An estimate, until the end."""
    done: int = 0
