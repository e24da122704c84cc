"""The tables of the file, and the check that a file has them."""

from collections.abc import Sequence

import apsw

from kedge.store.errors import StoreCorrupt, StoreError, StoreForeign

APPLICATION_ID = 0x4B454447
"""`KEDG`, in the header of the file, by which `file` and others can tell whose it is."""

# `log` is the truth, and rows are only ever added to it, until compaction takes them. UNIQUE(key,
# previous) makes two successors of one row impossible, and finds the row of a key at a revision.
# `head` names the newest row of each key, tombstones too, so that a read of the present costs the
# same with any amount of history. The value comes last, so that to skip a row is not to read it.
_TABLES = f"""
CREATE TABLE log (
    revision INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    previous INTEGER NOT NULL,
    created INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (key, previous)
) STRICT;
CREATE TABLE head (
    key TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    created INTEGER NOT NULL,
    deleted INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE compaction (revision INTEGER NOT NULL) STRICT;
INSERT INTO compaction VALUES (0);
PRAGMA application_id = {APPLICATION_ID};
"""

STEPS = (_TABLES,)
"""What makes a file of each version out of one of the version before; the first starts with an
empty file. Steps are added and never changed: the files that they made are out there."""
VERSION = len(STEPS)


def prepare(connection: apsw.Connection, path: str, steps: Sequence[str] = STEPS) -> None:
    """Bring an empty or older file up to date; refuse one that is not ours, or is newer.

    All steps are one transaction: a file is of the old version or of the new one.
    """
    version = connection.pragma("user_version")
    if connection.pragma("application_id") != APPLICATION_ID:
        if version or connection.execute("SELECT count(*) FROM sqlite_schema").get:
            raise StoreForeign(f"{path} is a database of another program; choose another folder")
        version = 0
    if version > len(steps):
        raise StoreForeign(
            f"{path} has schema version {version}, and this Kedge knows {len(steps)}: "
            "use the version of Kedge that wrote it, or a newer one"
        )
    if version == len(steps):
        return
    with connection:
        for step in steps[version:]:
            connection.execute(step).fetchall()
        connection.pragma("user_version", len(steps))


def check(connection: apsw.Connection, path: str) -> None:
    """Look for damage; reads the whole file."""
    found = connection.execute("PRAGMA quick_check(1)").get
    if found != "ok":
        raise StoreCorrupt(damage(path, str(found)))


def damage(path: str, found: str) -> str:
    """Say that a file is damaged, and what to do about it."""
    reason = " ".join(found.split())[:256]
    return (
        f"{path} is damaged ({reason}): stop Kedge, keep a copy of the file, and put back a backup "
        f"of it, or save what can be read with: sqlite3 {path} .recover"
    )


def wal(connection: apsw.Connection, path: str) -> None:
    """Switch to the write-ahead log, which lets reads and writes go on at the same time."""
    if connection.pragma("journal_mode", "wal") != "wal":
        raise StoreError(f"{path}: this file system does not allow SQLite's write-ahead log")
