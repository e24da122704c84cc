"""What can go wrong in the store.

StoreError
  KeyExists        a new key exists already
  Mismatch         the key is not at the expected revision
  Compacted        history before that revision is gone
  FutureRevision   that revision has not been written yet
  SlowSubscriber   a subscriber fell behind and was dropped
  StoreClosed      the log was closed
  StoreLocked      another process uses the file
  StoreFull        no space left: nothing was written, reading goes on
  StoreCorrupt     the file is damaged
  StoreForeign     the file is not ours, or of a newer Kedge
"""

from kedge.store.record import Record


class StoreError(Exception):
    """The store could not do it; the message says why."""


class KeyExists(StoreError):
    """A key was to be created and is there."""

    def __init__(self, current: Record) -> None:
        super().__init__(f"key {current.key!r} exists, at revision {current.revision}")
        self.current = current


class Mismatch(StoreError):
    """A key was expected at one revision and is at another, or is not there (None)."""

    def __init__(self, key: str, expect: int, current: Record | None) -> None:
        found = f"is at {current.revision}" if current else "does not exist"
        super().__init__(f"key {key!r} was expected at revision {expect} and {found}")
        self.key = key
        self.expect = expect
        self.current = current


class Compacted(StoreError):
    """The history asked for was removed by compaction."""

    def __init__(self, revision: int, compacted: int) -> None:
        super().__init__(f"revision {revision} is gone: the log was compacted to {compacted}")
        self.revision = revision
        self.compacted = compacted


class FutureRevision(StoreError):
    """The revision asked for is newer than the newest."""

    def __init__(self, revision: int, latest: int) -> None:
        super().__init__(f"revision {revision} is not there yet: the newest is {latest}")
        self.revision = revision
        self.latest = latest


class SlowSubscriber(StoreError):
    """Too many records waited for a subscriber; it must read the state anew."""


class StoreClosed(StoreError):
    """The log, or the subscription, is closed."""


class StoreLocked(StoreError):
    """Another process has the file."""


class StoreFull(StoreError):
    """There is no space for the write, of which nothing was kept; reading goes on."""


class StoreCorrupt(StoreError):
    """The file is damaged."""


class StoreForeign(StoreError):
    """The file is of another program, or of a newer Kedge."""
