"""Stepping aside in long work: it is done in portions, with a turn for others between."""

from collections.abc import Generator
from types import coroutine


@coroutine
def turn() -> Generator[None, None, None]:
    """Let everything else that is ready run once."""
    yield
