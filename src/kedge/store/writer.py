"""The one thread that writes; rows that come during a commit go into the next one together."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

import apsw
from msgspec.structs import astuple

from kedge.store.database import Database
from kedge.store.errors import StoreClosed, StoreError
from kedge.store.record import Record

_INSERT = """
INSERT INTO log (revision, key, value, created, previous, deleted) VALUES (?, ?, ?, ?, ?, ?)
"""
_MOVE_HEADS = """
INSERT INTO head (key, revision, created, deleted)
SELECT key, revision, created, deleted FROM log WHERE revision BETWEEN ? AND ?
ON CONFLICT (key) DO UPDATE
SET revision = excluded.revision, created = excluded.created, deleted = excluded.deleted
"""
# Errors of one row, which must not harm the others of its transaction.
_OF_ONE_ROW = (apsw.ConstraintError, apsw.TooBigError, TypeError, ValueError)


class Refused(StoreError):
    """The file itself holds a successor of the row this one was to follow."""


class Write:
    """A record on its way into the file, and who waits for it."""

    __slots__ = ("_rivals", "done", "error", "record")

    def __init__(self, record: Record, done: "asyncio.Future[Record]") -> None:
        self.record = record
        self.done = done
        self.error: StoreError | None = None
        self._rivals: list[asyncio.Future[None]] = []

    async def settled(self) -> None:
        """Wait until the write is committed or has failed; for others than its owner."""
        rival = asyncio.get_running_loop().create_future()
        self._rivals.append(rival)
        await rival

    def settle(self) -> None:
        """Tell all who wait; an owner who was cancelled is not there to be told."""
        if not self.done.done():
            if self.error is None:
                self.done.set_result(self.record)
            else:
                self.done.set_exception(self.error)
        for rival in self._rivals:
            if not rival.done():
                rival.set_result(None)


Job = Callable[[apsw.Connection], None]


class Writer:
    """The writing connection. One transaction is under way at a time; its rows are in order."""

    def __init__(
        self, database: Database, limit: int, committed: Callable[[Sequence[Write]], None]
    ) -> None:
        self._database = database
        self._limit = limit
        self._committed = committed
        self._queue: list[Write] = []
        self._is_busy = False
        self._is_closed = False
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # A daemon, so that a program that forgot to close the log can end.
        self._thread = Thread(target=self._work, name="kedge-store", daemon=True)
        self._thread.start()

    def put(self, write: Write) -> None:
        """Take a write; `committed` is called in the event loop with it and its neighbours."""
        if self._is_closed:
            raise StoreClosed("the log is closed")
        self._queue.append(write)
        if not self._is_busy:
            self._is_busy = True
            # Not at once: what else this turn of the loop writes shall come along.
            asyncio.get_running_loop().call_soon(self._launch)

    async def run(self, job: Job) -> None:
        """Do something else in the thread, between two transactions."""
        if self._is_closed:
            raise StoreClosed("the log is closed")
        await self._run(job)

    async def close(self) -> None:
        """Commit what was put, close the database, and end the thread; may be called twice."""
        if self._is_closed:
            return
        self._is_closed = True
        while self._is_busy:
            await self._run(lambda connection: None)
        self._database.reader.close()  # here, where the reads are: none is under way
        try:
            await self._run(lambda connection: self._database.close())
        finally:
            self._jobs.put(None)
            self._thread.join()

    async def _run(self, job: Job) -> None:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def work() -> None:
            error = self._attempt(job)
            _tell(loop, lambda: _resolve(done, error))

        self._jobs.put(work)
        await done

    def _launch(self) -> None:
        loop = asyncio.get_running_loop()
        batch = self._queue[: self._limit]
        del self._queue[: self._limit]

        def work() -> None:
            self._commit(batch)
            _tell(loop, lambda: self._settle(batch))

        self._jobs.put(work)

    def _settle(self, batch: list[Write]) -> None:
        # First the next batch, so that the disk works while the readers of this one are told.
        if self._queue:
            self._launch()
        else:
            self._is_busy = False
        self._committed(batch)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _commit(self, batch: list[Write]) -> None:
        error = self._attempt(lambda connection: _insert(connection, batch))
        if error is None:
            return
        if len(batch) > 1 and isinstance(error.__cause__, _OF_ONE_ROW):
            for write in batch:
                self._commit([write])
            return
        for write in batch:
            write.error = type(error)(*error.args)  # each its own: they are raised in many tasks
            write.error.__cause__ = error.__cause__

    def _attempt(self, job: Job) -> StoreError | None:
        connection = self._database.writer
        try:
            job(connection)
        except Exception as exc:  # noqa: BLE001 - goes to the caller, who is in another thread
            error = self._explain(exc)
            error.__cause__ = exc
            with suppress(apsw.Error):  # some errors end the transaction by themselves
                connection.execute("ROLLBACK")
            return error
        return None

    def _explain(self, exc: Exception) -> StoreError:
        if getattr(exc, "extendedresult", 0) == apsw.SQLITE_CONSTRAINT_UNIQUE:
            return Refused("the file holds a newer row of this key")
        if isinstance(exc, apsw.Error):
            return self._database.failure(exc, self._database.writer)
        return StoreError(f"cannot write this: {exc}"[:256])


def _insert(connection: apsw.Connection, batch: list[Write]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(_INSERT, [astuple(write.record) for write in batch])
    connection.execute(_MOVE_HEADS, (batch[0].record.revision, batch[-1].record.revision))
    connection.execute("COMMIT")


def _tell(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop was closed: nobody waits
        loop.call_soon_threadsafe(callback)


def _resolve(done: "asyncio.Future[None]", error: StoreError | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
