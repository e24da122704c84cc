"""Between who collects and who uploads: so much may be under way, and no more."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

CHUNKS: Final = 8
"""The collector waits when so many are not sent yet: memory does not grow with the backup."""


class Pipe:
    """Hands bytes from one task to another."""

    def __init__(self, most: int = CHUNKS) -> None:
        """Begin empty."""
        self._chunks: asyncio.Queue[bytes | None] = asyncio.Queue(most)
        self.is_read = False
        """Whether all was taken out, down to the end."""

    async def write(self, chunk: bytes) -> None:
        """Put some bytes in, when there is room."""
        if chunk:
            await self._chunks.put(chunk)

    async def end(self) -> None:
        """Say that this was all.

        Who never does leaves the reader waiting until it is cancelled: so nothing is taken for
        whole that is not.
        """
        await self._chunks.put(None)

    async def read(self) -> AsyncGenerator[bytes, None]:
        """Take the bytes out."""
        while (chunk := await self._chunks.get()) is not None:
            yield chunk
        self.is_read = True
