"""The tables of the file, and the check that a file has them."""

import apsw

from kedge.store.errors import StoreCorrupt, StoreError, StoreForeign

APPLICATION_ID = 0x4B454447
"""`KEDG`, in the header of the file, by which `file` and others can tell whose it is."""
VERSION = 1

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
PRAGMA user_version = {VERSION};
"""


def prepare(connection: apsw.Connection, path: str) -> None:
    """Create the tables in an empty file; refuse a file that is not ours or is newer."""
    version = connection.pragma("user_version")
    if connection.pragma("application_id") != APPLICATION_ID:
        if version or connection.execute("SELECT count(*) FROM sqlite_schema").get:
            raise StoreForeign(f"{path} is a database of another program; choose another folder")
        with connection:
            connection.execute(_TABLES).fetchall()
    elif version != VERSION:
        raise StoreForeign(
            f"{path} has schema version {version}, and this Kedge knows {VERSION}: "
            "use the version of Kedge that wrote it, or a newer one"
        )


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
