"""Somebody else's text, as messages of ours quote it."""

from typing import Final

FOREIGN_LIMIT: Final = 256
"""Characters of somebody else's text that fit into a message."""


def cut(text: str) -> str:
    """Shorten somebody else's text for a message of ours."""
    return text if len(text) <= FOREIGN_LIMIT else text[:FOREIGN_LIMIT] + "…"
