"""Reads of committed rows, each as of one revision; for the thread of the event loop."""

import sys
from itertools import starmap
from operator import attrgetter
from typing import Any, NamedTuple

import apsw

from kedge.store.database import Database
from kedge.store.errors import StoreCorrupt, StoreError
from kedge.store.record import Record
from kedge.store.schema import damage

_COLUMNS = "revision, key, value, created, previous, deleted"
_HEAD = "SELECT revision, created, deleted FROM head WHERE key = ?"
_ROW = f"SELECT {_COLUMNS} FROM log WHERE revision = ?"
# A subquery and not a join: a third of the time, because only one cursor runs.
_NEWEST = f"SELECT {_COLUMNS} FROM log WHERE revision = (SELECT revision FROM head WHERE key = ?)"
# `previous` orders the rows of a key as `revision` does, and is the one in the index: the row at a
# revision is the last or the last but one of those that build upon an older row.
_AS_OF = "previous < ?2 AND revision <= ?2 ORDER BY previous DESC LIMIT 1"
_AT = f"SELECT {_COLUMNS} FROM log WHERE key = ?1 AND {_AS_OF}"
_PAGE = f"""
SELECT l.revision, l.key, l.value, l.created, l.previous
FROM head AS h LEFT JOIN log AS l ON l.revision = CASE WHEN h.revision <= ?2 THEN h.revision
    ELSE (SELECT revision FROM log WHERE key = h.key AND {_AS_OF}) END
WHERE h.key >= ?1 AND h.key < ?3
    AND CASE WHEN h.revision <= ?2 THEN NOT h.deleted ELSE NOT l.deleted END
ORDER BY h.key LIMIT ?4
"""
_COUNT = f"""
SELECT count(*) FROM head AS h
WHERE h.key >= ?1 AND h.key < ?3 AND CASE WHEN h.revision <= ?2 THEN NOT h.deleted
    ELSE (SELECT NOT deleted FROM log WHERE key = h.key AND {_AS_OF}) END
"""
# The plus keeps SQLite from taking the index on the key: revisions are the shorter way.
_CHANGES = f"""
SELECT {_COLUMNS} FROM log
WHERE revision > ?1 AND revision <= ?2 AND +key >= ?3 AND +key < ?4 ORDER BY revision
"""
_REVISION = attrgetter("revision")
# Code points that are no characters and have no UTF-8.
FIRST_SURROGATE, LAST_SURROGATE = 0xD800, 0xDFFF


class Head(NamedTuple):
    """The newest row of a key, without its value."""

    revision: int
    created: int
    deleted: bool


class Reader:
    """The reading connection. Nothing newer than the revision asked for is ever seen."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cursor = database.reader.cursor()

    def newest(self) -> tuple[int, int]:
        """Return the newest revision of the file, and the revision it is compacted to."""
        found = self._rows("SELECT (SELECT max(revision) FROM log), revision FROM compaction", ())
        revision, compacted = found[0]
        return max(revision or 0, compacted), compacted

    def head(self, key: str) -> Head | None:
        """Return what the newest committed row of a key says, also of a tombstone."""
        for row in self._rows(_HEAD, (key,)):
            return Head(*row)
        return None

    def get(self, key: str, at: int) -> Record | None:
        """Return the live row of a key as of a revision, which mostly is the newest."""
        try:
            rows = self._rows(_NEWEST, (key,))
        except UnicodeEncodeError:
            return None  # a lone surrogate: such a key cannot have been written
        if not rows:
            head = self.head(key)
            if head and head.revision <= at:
                raise self._torn()
            return None
        if rows[0][0] > at:
            rows = self._rows(_AT, (key, at))
        if not rows or rows[0][5]:
            return None
        revision, key, value, created, previous, _ = rows[0]
        return Record(revision, key, value, created, previous)

    def row(self, revision: int) -> Record | None:
        """Return the row of a revision, if it is still there."""
        for row in self._rows(_ROW, (revision,)):
            return _record(*row)
        return None

    def page(self, prefix: str, at: int, after: str | None, limit: int) -> list[Record]:
        """Return the first live rows after a key (None: from the start), sorted by key."""
        bounds = (_low(prefix, after), at, _high(prefix), limit)
        records = list(starmap(Record, self._rows(_PAGE, bounds)))
        if None in map(_REVISION, records):
            raise self._torn()
        return records

    def count(self, prefix: str, at: int, after: str | None = None) -> int:
        """Count the live rows after a key (None: from the start)."""
        rows = self._rows(_COUNT, (_low(prefix, after), at, _high(prefix)))
        return int(rows[0][0])

    def changes(self, prefix: str, after: int, until: int) -> list[Record]:
        """Return the rows with after < revision <= until, tombstones too, by revision."""
        bounds = (after, until, prefix, _high(prefix))
        return list(starmap(_record, self._rows(_CHANGES, bounds)))

    def _torn(self) -> StoreError:
        # A transaction writes both, so only damage can part them; better no answer than a key less.
        return StoreCorrupt(damage(self._database.path, "a row is missing"))

    def _rows(self, sql: str, bindings: tuple[str | bytes | int, ...]) -> list[tuple[Any, ...]]:
        # All rows at once: a statement left half read would hold back the write-ahead log.
        try:
            return self._cursor.execute(sql, bindings).fetchall()
        except apsw.Error as exc:
            raise self._database.failure(exc, self._database.reader) from exc


def _record(
    revision: int, key: str, value: bytes, created: int, previous: int, deleted: int
) -> Record:
    return Record(revision, key, value, created, previous, deleted == 1)


def _low(prefix: str, after: str | None) -> str:
    # In the order of keys nothing lies between a key and the same key with a NUL behind it.
    return prefix if after is None else max(prefix, after + "\0")


def _high(prefix: str) -> str | bytes:
    """Return what comes right after all keys with the prefix."""
    kept = prefix.rstrip(chr(sys.maxunicode))
    if not kept:
        return b""  # SQLite sorts every blob behind every text
    following = ord(kept[-1]) + 1
    if following == FIRST_SURROGATE:
        following = LAST_SURROGATE + 1
    return kept[:-1] + chr(following)
