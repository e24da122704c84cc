"""The file: who may use it, how it is opened, and what its errors mean."""

import errno
import os
import shutil
import tempfile
from pathlib import Path

import apsw

from kedge.store import schema
from kedge.store.errors import StoreClosed, StoreCorrupt, StoreError, StoreFull, StoreLocked
from kedge.store.settings import StoreSettings

MEMORY = ":memory:"
"""As a path: a file in a temporary folder, not synced, removed on close."""
BUSY_MS = 5000
"""Only a stranger who looks into the file can make us wait, and briefly."""
# What a write says when it finds no space: on the disk, in the quota, in the process's limit.
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Database:
    """An open file with its lock, and the two connections to it."""

    def __init__(self, path: str | Path, settings: StoreSettings) -> None:
        self._folder = tempfile.mkdtemp(prefix="kedge-") if str(path) == MEMORY else None
        self.path = f"{self._folder}/kedge.db" if self._folder else str(path)
        self._settings = settings
        self._open: list[apsw.Connection] = []
        try:
            self._start()
        except apsw.Error as exc:
            self.close()
            raise self.failure(exc) from exc
        except OSError as exc:
            self.close()
            raise StoreError(f"cannot open {self.path}: {exc.strerror}") from exc
        except StoreError:
            self.close()
            raise

    def close(self) -> None:
        """Close the connections, which empties the write-ahead log, and let go of the lock."""
        while self._open:
            self._open.pop().close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def failure(self, exc: Exception, connection: apsw.Connection | None = None) -> StoreError:
        """Translate an error of SQLite."""
        if isinstance(exc, apsw.ConnectionClosedError | apsw.CursorClosedError):
            return StoreClosed("the log is closed")
        if isinstance(exc, apsw.CorruptError | apsw.NotADBError):
            return StoreCorrupt(schema.damage(self.path, str(exc)))
        system = connection.system_errno if connection else 0
        if isinstance(exc, apsw.FullError) or (
            isinstance(exc, apsw.IOError) and system in _NO_SPACE
        ):
            return StoreFull(f"no space left to write to {self.path}: free some, and try again")
        if isinstance(exc, apsw.CantOpenError):
            return StoreError(f"cannot open {self.path}: is its folder there, and may we write?")
        reason = f"{exc}, {os.strerror(system)}" if system else str(exc)
        return StoreError(f"{self.path}: {reason[:256]}")

    def _start(self) -> None:
        self._lock()
        _create(self.path)
        self.writer = self._connect()
        schema.wal(self.writer, self.path)
        if os.path.getsize(self.path) <= self._settings.check_bytes:
            schema.check(self.writer, self.path)
        schema.prepare(self.writer, self.path)
        self.reader = self._connect()

    def _lock(self) -> None:
        # As a lock of SQLite's it works on every system, and ends with the process.
        _create(f"{self.path}.lock")
        lock = apsw.Connection(f"{self.path}.lock")
        self._open.append(lock)
        try:
            lock.pragma("journal_mode", "off")
            lock.execute("BEGIN EXCLUSIVE")
        except apsw.BusyError as exc:
            raise StoreLocked(
                f"{self.path} is in use by another process: stop that one, or choose another folder"
            ) from exc

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(self.path)
        self._open.append(connection)
        connection.set_busy_timeout(BUSY_MS)
        connection.pragma("cache_size", -(self._settings.cache_bytes // 1024))
        connection.pragma("synchronous", "off" if self._folder else "full")
        connection.wal_autocheckpoint(self._settings.checkpoint_pages)
        limit = self._settings.checkpoint_pages * connection.pragma("page_size")
        connection.pragma("journal_size_limit", limit)
        return connection


def _create(path: str) -> None:
    # The files that SQLite puts beside this one take its mode. One that exists is left alone:
    # closing any descriptor of a file undoes all locks that the process has on it (fcntl(2)).
    if not os.path.exists(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
