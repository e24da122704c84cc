"""Things that are made at the same time, in an order that only their server knows."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Abreast:
    """Knows what is being made, so that who is done can wait for all that may be before it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._going: set[asyncio.Event] = set()

    @contextmanager
    def making(self) -> Iterator[None]:
        """Make something while the block runs."""
        mine = asyncio.Event()
        self._going.add(mine)
        try:
            yield
        finally:
            self._going.discard(mine)
            mine.set()

    async def settled(self) -> None:
        """Wait until all that is being made now is made, or is not.

        What begins later is later for the server, too.
        """
        for one in tuple(self._going):
            await one.wait()
