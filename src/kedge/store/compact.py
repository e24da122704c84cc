"""Compaction: history up to a revision is removed in small transactions, the present is kept."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

# Each row is looked at once, as the one that replaced another: what it replaced goes, and if it
# is a tombstone, it goes too. `compaction` moves with it, so that a crash leaves no half done part.
_SWEEP = (
    """DELETE FROM log WHERE revision IN
    (SELECT previous FROM log WHERE revision > ?1 AND revision <= ?2)""",
    """DELETE FROM head WHERE deleted AND revision <= ?2 AND key IN
    (SELECT key FROM log WHERE revision > ?1 AND revision <= ?2 AND deleted)""",
    "DELETE FROM log WHERE revision > ?1 AND revision <= ?2 AND deleted",
    "UPDATE compaction SET revision = max(?1, ?2)",  # both are bound, as above
)


def sweep(connection: apsw.Connection, after: int, until: int) -> None:
    """Remove what was replaced or deleted at after < revision <= until; call it in order."""
    with connection:
        for statement in _SWEEP:
            connection.execute(statement, (after, until))


class Pins:
    """The revisions that unfinished reads still need; compaction waits for them."""

    def __init__(self) -> None:
        self._held: Counter[int] = Counter()
        self._released = asyncio.Event()

    @contextmanager
    def hold(self, revision: int) -> Iterator[None]:
        """Keep the rows of this revision while the block runs."""
        self._held[revision] += 1
        try:
            yield
        finally:
            self._held[revision] -= 1
            if not self._held[revision]:
                del self._held[revision]
            self._released.set()

    async def free(self, revision: int) -> None:
        """Wait until nothing older than this revision is held."""
        while any(held < revision for held in self._held):
            self._released.clear()
            await self._released.wait()
