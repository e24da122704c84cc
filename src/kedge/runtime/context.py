"""What is being worked on: added to every log record that is written meanwhile."""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Work:
    """One reconcile."""

    controller: str
    object: str
    """The key, as `namespace/name`."""
    reconcile_id: str
    """Tells it from other reconciles of the same object."""


_work: Final[ContextVar[Work | None]] = ContextVar("work", default=None)


def current() -> Work | None:
    """Give what the task that asks is working on, if that is known."""
    return _work.get()


@contextmanager
def reconciling(controller: str, key: str) -> Iterator[Work]:
    """Say what is worked on in this block, and in the tasks that it starts."""
    work = Work(controller, key, secrets.token_hex(8))
    token = _work.set(work)
    try:
        yield work
    finally:
        _work.reset(token)


class WorkFilter(logging.Filter):
    """Adds what is worked on to each record; what the record has of these stays."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add it, and let the record pass."""
        work = _work.get()
        if work is not None:
            facts = record.__dict__
            facts.setdefault("controller", work.controller)
            facts.setdefault("object", work.object)
            facts.setdefault("reconcile_id", work.reconcile_id)
        return True
