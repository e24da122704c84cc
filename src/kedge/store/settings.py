"""How much the store may use, and in what portions it works."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Bounds of memory, of files, and of the time for which others wait."""

    cache_bytes: int = 8 * MIB
    """Page cache of each of the two connections; behind it is the system's own."""
    recent_bytes: int = 8 * MIB
    """Rows that were written or read lately, by key: a write first reads what it replaces."""
    checkpoint_pages: int = 4000
    """Pages of 4 KiB after which the write-ahead log goes into the file: 16 MiB on disk."""
    commit_rows: int = 500
    """Most rows in one transaction, so that the first of them need not wait long for the last."""
    list_rows: int = 500
    """Rows read in one turn of the event loop, which takes about half a millisecond."""
    change_revisions: int = 2000
    """Revisions looked at in one turn of the event loop when changes are read."""
    compact_revisions: int = 250
    """Revisions compacted in one transaction; writers wait for no more than one of these."""
    subscriber_records: int = 5000
    """Records that may wait for a subscriber before it is dropped."""
    subscriber_bytes: int = 64 * MIB
    """Size of the records that may wait for a subscriber before it is dropped."""
    check_bytes: int = 64 * MIB
    """Files up to this size are checked for damage when they are opened: 0.1 s at most."""
