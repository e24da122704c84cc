"""Work that many ask for at once, done once for all of them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from kedge.client.where.errors import LoginFailed

Made = TypeVar("Made")


class OneFlight(Generic[Made]):
    """One piece of work at a time; who waited for it shares its result, or its failure.

    If the one who does it is cancelled, the next who waits begins anew.
    """

    def __init__(self) -> None:
        """Start idle."""
        self._lock = asyncio.Lock()
        self._ended = 0
        self._failure: str | None = None

    async def share(
        self, ready: Callable[[], Made | None], work: Callable[[], Awaitable[Made]]
    ) -> Made:
        """Give what is ready once it is our turn, or do the work. Raises LoginFailed."""
        before = self._ended
        async with self._lock:
            made = ready()
            if made is not None:
                return made
            if self._ended != before and self._failure is not None:
                raise LoginFailed(self._failure)
            self._failure = None
            try:
                return await work()
            except LoginFailed as exc:
                self._failure = str(exc)
                raise
            finally:
                self._ended += 1
