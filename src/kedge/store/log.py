"""The revision log: append, get, list, changes, subscribe, compact; for one event loop."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter
from pathlib import Path

from kedge.aio.broadcast import Broadcast, Limit
from kedge.aio.closing import Closing
from kedge.aio.turn import turn
from kedge.store.compact import Pins, sweep
from kedge.store.database import Database
from kedge.store.errors import Compacted, FutureRevision, KeyExists, Mismatch, StoreError
from kedge.store.marks import Marks
from kedge.store.reader import Head, Reader
from kedge.store.recent import Recent
from kedge.store.record import Page, Record
from kedge.store.settings import StoreSettings
from kedge.store.watch import Subscription
from kedge.store.writer import Refused, Write, Writer

Records = list[Record]
Encode = Callable[[int], bytes]
"""Makes the value of a row, given the revision that the row will have."""
FIRST = 1
"""The revision of an empty log: 0 means \"none\" to everybody who asks for a revision."""


class Log(Closing):
    """All states of all keys, in the order in which they were committed.

    Every read is as of `revision`, the newest revision whose commit was told to subscribers and
    writers, so that no two of them can disagree about what has happened.
    """

    def __init__(self, database: Database, settings: StoreSettings) -> None:
        self._settings = settings
        self._reader = Reader(database)
        self._recent = Recent(settings.recent_bytes)
        newest, self._compacted = self._reader.newest()
        self._revision = self._given = max(newest, FIRST)
        self._swept = self._compacted
        self._pending: dict[str, Write] = {}
        self._marks = Marks()
        self._pins = Pins()
        self._sweeping = asyncio.Lock()
        self._broadcast: Broadcast[Record] = Broadcast(
            attrgetter("key"),
            Limit(settings.subscriber_records, settings.subscriber_bytes),
            lambda record: len(record.value),
        )
        self._writer = Writer(database, settings.commit_rows, self._commit)

    @classmethod
    def open(cls, path: str | Path, settings: StoreSettings | None = None) -> "Log":
        """Open or create a log, for this process alone; `:memory:` leaves nothing behind.

        Raises StoreLocked, StoreCorrupt, StoreForeign, or a plain StoreError.
        """
        settings = settings or StoreSettings()
        database = Database(path, settings)
        try:
            return cls(database, settings)
        except StoreError:
            database.close()
            raise

    @property
    def revision(self) -> int:
        """The newest committed revision."""
        return self._revision

    @property
    def compacted(self) -> int:
        """The oldest revision of which the state, and after which the changes, are still known."""
        return self._compacted

    async def append(self, key: str, encode: Encode, expect: int) -> Record:
        """Write a value and return when it is safe on disk.

        The key must be at revision `expect`, or with 0 must not exist: else Mismatch or KeyExists.
        When the caller is cancelled, the row may be written all the same.
        """
        head = await self._head(key)
        if expect == 0:
            if head and not head.deleted:
                raise KeyExists(self._current(key))
            return await self._write(key, encode, head, deleted=False)
        return await self._write(key, encode, self._check(key, head, expect), deleted=False)

    async def delete(self, key: str, encode: Encode, expect: int) -> Record:
        """Write a tombstone with a last value; else as `append`."""
        head = await self._head(key)
        return await self._write(key, encode, self._check(key, head, expect), deleted=True)

    def get(self, key: str) -> Record | None:
        """Return the row of a key, or None if it does not exist."""
        record = self._recent.get(key)
        if record is None:
            record = self._reader.get(key, self._revision)
            if record is not None:
                self._recent.put(record)
        return record

    def get_at(self, key: str, revision: int) -> Record | None:
        """Return the row that a key had at a revision; raises Compacted or FutureRevision."""
        return self._reader.get(key, self._known(revision))

    async def list(
        self,
        prefix: str,
        *,
        at: int | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> Page:
        """Return the rows of a prefix, sorted by key, as of a revision (None: the newest).

        `after` is the last key of the page before. Raises Compacted or FutureRevision.
        """
        at = self._revision if at is None else self._known(at)
        records: Records = []
        with self._pins.hold(at):
            while limit is None or len(records) < limit:
                wanted = self._settings.list_rows
                wanted = wanted if limit is None else min(wanted, limit - len(records))
                found = self._reader.page(prefix, at, after, wanted)
                records += found
                if len(found) < wanted:
                    return Page(records, at, more=False, remaining=0)
                after = found[-1].key
                if len(records) != limit:
                    await turn()
            remaining = self._reader.count(prefix, at, after)
        return Page(records, at, more=remaining > 0, remaining=remaining)

    def count(self, prefix: str) -> int:
        """Count the keys of a prefix that exist."""
        return self._reader.count(prefix, self._revision)

    async def changes(self, prefix: str, after: int, until: int) -> Records:
        """Return the rows with after < revision <= until, tombstones too, by revision.

        Raises Compacted or FutureRevision.
        """
        self._known(until)
        records: Records = []
        with self._pins.hold(self._known(min(after, until))):
            while after < until:
                end = min(after + self._settings.change_revisions, until)
                records += self._reader.changes(prefix, after, end)
                after = end
                if after < until:
                    await turn()
        return records

    def previous(self, record: Record) -> Record | None:
        """Return the row that a record replaced, or None if there was none or it is compacted."""
        return self._reader.row(record.previous) if record.previous else None

    def subscribe(self, prefix: str) -> Subscription:
        """Receive every record of a prefix that is committed from now on."""
        return Subscription(self._broadcast.subscribe(prefix), lambda: self._revision)

    async def compact(self, revision: int) -> None:
        """Forget all states before a revision; what exists at it is kept.

        Reads of older states are refused at once; those under way are waited for.
        """
        if revision > self._revision:
            raise FutureRevision(revision, self._revision)
        self._compacted = max(self._compacted, revision)
        async with self._sweeping:
            await self._pins.free(revision)
            while self._swept < revision:
                until = min(self._swept + self._settings.compact_revisions, revision)
                await self._writer.run(partial(sweep, after=self._swept, until=until))
                self._swept = until

    def mark(self, now: datetime) -> None:
        """Note which revision is the newest now, for `revision_at`."""
        self._marks.add(now, self._revision)

    def revision_at(self, instant: datetime) -> int:
        """Return the newest revision that was marked up to an instant; 0 if there is none."""
        return self._marks.at(instant)

    async def close(self) -> None:
        """Commit what was given, end the subscriptions, and let go of the file."""
        await self._writer.close()
        self._recent.clear()
        self._broadcast.close()

    async def _head(self, key: str) -> Head | None:
        # Decided on committed rows only: a write under way may fail yet.
        while (rival := self._pending.get(key)) is not None:
            await rival.settled()
        known = self._recent.get(key)
        if known is not None:
            return Head(known.revision, known.created, False)
        try:
            return self._reader.head(key)
        except UnicodeEncodeError as exc:
            raise StoreError(f"key {key[:256]!r} is not text") from exc

    def _check(self, key: str, head: Head | None, expect: int) -> Head:
        if head is None or head.deleted or head.revision != expect:
            raise Mismatch(key, expect, self.get(key))
        return head

    async def _write(self, key: str, encode: Encode, head: Head | None, *, deleted: bool) -> Record:
        # From the check of the head to `put` nothing is awaited: what was checked still holds, and
        # rows are put in the order of their revisions, which is the order of their commits.
        revision = self._given + 1
        value = encode(revision)
        self._given = revision
        created = head.created if head and not head.deleted else revision
        record = Record(revision, key, value, created, head.revision if head else 0, deleted)
        done: asyncio.Future[Record] = asyncio.get_running_loop().create_future()
        write = Write(record, done)
        self._writer.put(write)
        self._pending[key] = write
        try:
            return await done
        except Refused as exc:
            self._recent.forget(key)  # the file knows better
            raise Mismatch(key, record.previous, self.get(key)) from exc

    def _commit(self, batch: Sequence[Write]) -> None:
        records = [write.record for write in batch if write.error is None]
        if records:
            self._revision = records[-1].revision
            for record in records:
                self._recent.put(record)
            self._broadcast.publish(records)
        for write in batch:
            del self._pending[write.record.key]
            write.settle()

    def _known(self, revision: int) -> int:
        if revision < self._compacted:
            raise Compacted(revision, self._compacted)
        if revision > self._revision:
            raise FutureRevision(revision, self._revision)
        return revision

    def _current(self, key: str) -> Record:
        current = self.get(key)
        assert current is not None
        return current
