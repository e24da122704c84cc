"""The rows that keys have now, of those used lately: most reads need not ask the file."""

from kedge.store.record import Record


class Recent:
    """Keeps live rows up to a size; of too many, those that came first go first.

    It knows what was told, and nothing else: whoever commits a row or reads the newest one tells.
    """

    __slots__ = ("_limit", "_rows", "_size")

    def __init__(self, limit: int) -> None:
        """Keep values of so many bytes."""
        self._limit = limit
        self._rows: dict[str, Record] = {}
        self._size = 0

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._rows)

    def get(self, key: str) -> Record | None:
        """Return the row of a key; None: it is not known here."""
        return self._rows.get(key)

    def put(self, record: Record) -> None:
        """Take the newest row of a key; a tombstone only makes the key unknown."""
        self.forget(record.key)
        size = len(record.value)
        if record.deleted or size > self._limit:
            return
        self._rows[record.key] = record
        self._size += size
        while self._size > self._limit:
            self.forget(next(iter(self._rows)))

    def forget(self, key: str) -> None:
        """Know nothing of a key."""
        row = self._rows.pop(key, None)
        if row is not None:
            self._size -= len(row.value)

    def clear(self) -> None:
        """Know nothing at all."""
        self._rows.clear()
        self._size = 0
