"""Puts objects into the archive, and the archive into the sink."""

from collections.abc import Awaitable, Callable
from typing import Final

from kedge.aio.turn import turn
from kedge.archive.item import Item, Place
from kedge.archive.writer import ArchiveWriter

Sink = Callable[[bytes], Awaitable[None]]

PORTION: Final = 32 * 2**10
"""After so many bytes of objects others have their turn; that is about a millisecond."""
ENTRY: Final = 512
"""What an object costs however small it is, in bytes."""


class Archive:
    """An archive that leaves in chunks while it grows."""

    def __init__(self, mtime: int, sink: Sink) -> None:
        """Begin an archive whose files bear this time."""
        self._writer = ArchiveWriter(mtime)
        self._sink = sink
        self._added = 0

    def add(self, place: Place, version: str, data: bytes) -> None:
        """Put an object in; raises ArchiveError where its name can not be that of a file."""
        self._writer.add(Item(place, version, data))
        self._added += len(data) + ENTRY

    @property
    def is_due(self) -> bool:
        """Whether so much has come together that it should be sent."""
        return self._added >= PORTION

    async def send(self) -> None:
        """Send what has come together."""
        self._added = 0
        chunk = self._writer.take()
        if chunk:
            await self._sink(chunk)
        # A sink that never waits must not hold up everybody else.
        await turn()

    async def finish(self) -> None:
        """Send the rest."""
        await self._sink(self._writer.finish())

    @property
    def size_bytes(self) -> int:
        """How many bytes have left."""
        return self._writer.bytes_written

    @property
    def sha256(self) -> str:
        """The digest of all that has left, in hexadecimal."""
        return self._writer.sha256
