"""What is being reconciled, for every log record that is written meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Reconciling(NamedTuple):
    """Names the work that a task is at."""

    controller: str
    object: str


current: ContextVar[Reconciling | None] = ContextVar("reconciling", default=None)


@contextmanager
def reconciling(controller: str, name: str) -> Iterator[None]:
    """Say what is being reconciled while the block runs."""
    token = current.set(Reconciling(controller, name))
    try:
        yield
    finally:
        current.reset(token)
