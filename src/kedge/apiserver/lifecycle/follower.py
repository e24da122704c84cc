"""A life cycle follows a part of the store: first all that is there, then every change."""

import asyncio
import logging
from collections.abc import AsyncIterator

from kedge.store import Log, Record, SlowSubscriber, StoreClosed

logger = logging.getLogger(__name__)

PAGE = 500


class Follower:
    """Calls `begin`, `see` for each object that is there, `ready`, then `see` for every change.

    It starts anew when it falls behind.
    """

    def __init__(self, log: Log, prefix: str, listed: str = "") -> None:
        """Follow the keys under `prefix`; at the start, see only those under `listed`."""
        self.log = log
        self.prefix = prefix
        self.listed = listed or prefix
        self.caught_up = asyncio.Event()
        """Set once all that was there at the start has been seen."""

    def begin(self) -> None:
        """Forget what was known."""

    async def see(self, record: Record) -> None:
        """Take in one object as it is now."""
        raise NotImplementedError

    async def ready(self) -> None:
        """Note that all that is there has been seen."""

    async def run(self) -> None:
        """Follow until the store closes."""
        while True:
            try:
                await self._follow()
            except StoreClosed:
                return
            except SlowSubscriber:
                logger.warning("fell behind, starting anew", extra={"prefix": self.prefix})

    async def _follow(self) -> None:
        with self.log.subscribe(self.prefix) as subscription:
            self.begin()
            revision = self.log.revision
            async for record in everything(self.log, self.listed, revision):
                await self._safely(record)
            await self.ready()
            self.caught_up.set()
            while True:
                for record in await subscription.next_batch():
                    if record.revision > revision:
                        await self._safely(record)

    async def _safely(self, record: Record) -> None:
        try:
            await self.see(record)
        except StoreClosed:
            raise
        except Exception:  # one bad object must not stop the life cycle of all others
            logger.exception("life cycle failed", extra={"key": record.key})


async def everything(log: Log, prefix: str, revision: int | None = None) -> AsyncIterator[Record]:
    """All live rows under a prefix, a page at a time, as of one revision."""
    after: str | None = None
    while True:
        page = await log.list(prefix, at=revision, after=after, limit=PAGE)
        for record in page.records:
            yield record
        if not page.more:
            return
        revision, after = page.revision, page.records[-1].key
