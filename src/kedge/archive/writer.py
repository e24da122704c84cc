"""Write an archive: the same items give the same bytes."""

from hashlib import sha256
from typing import Final

from isal import isal_zlib

from kedge.archive.errors import ArchiveError
from kedge.archive.files import LEVEL
from kedge.archive.header import END, Headers, padding
from kedge.archive.inflate import GZIP
from kedge.archive.item import FORMAT, VERSION_FILE, Item, item_paths
from kedge.archive.limits import DEFAULT

BATCH: Final = 64 * 1024
"""So many bytes are packed at once: a call for each item would cost more than its packing."""


class ArchiveWriter:
    """Takes items, gives the bytes of a `.tar.gz` little by little."""

    def __init__(self, mtime: int) -> None:
        self.bytes_written = 0
        self.items = 0
        self._headers = Headers(mtime)
        self._packer = isal_zlib.compressobj(LEVEL, isal_zlib.DEFLATED, GZIP)
        self._digest = sha256()
        self._raw: list[bytes] = []
        self._raw_bytes = 0
        self._put(VERSION_FILE, data=f"{FORMAT}\n".encode())

    @property
    def sha256(self) -> str:
        """Give the digest of all bytes that were given out, in hexadecimal."""
        return self._digest.hexdigest()

    def add(self, item: Item) -> None:
        """Put one item in; raises ArchiveError if no reader would take it."""
        plain, versioned = item_paths(item.place, item.version)
        if len(item.data) > DEFAULT.item_bytes:
            reason = f"it has {len(item.data)} bytes, and at most {DEFAULT.item_bytes} are taken"
            raise ArchiveError(plain, reason)
        self._put(plain, versioned, data=item.data)
        self.items += 1

    def take(self) -> bytes:
        """Give the compressed bytes that have come together; none while they are few."""
        return self._pack() if self._raw_bytes >= BATCH else b""

    def finish(self) -> bytes:
        """End the archive and give its last bytes."""
        self._raw.append(END)
        return self._pack() + self._given(self._packer.flush())

    def _put(self, *paths: str, data: bytes) -> None:
        """Write the same data under each of the paths."""
        size, fill = len(data), padding(len(data))
        for path in paths:
            header = self._headers.member(path, size)
            self._raw += (header, data, fill)
            self._raw_bytes += len(header) + size + len(fill)

    def _pack(self) -> bytes:
        packed = self._packer.compress(b"".join(self._raw))
        self._raw.clear()
        self._raw_bytes = 0
        return self._given(packed)

    def _given(self, packed: bytes) -> bytes:
        self._digest.update(packed)
        self.bytes_written += len(packed)
        return packed
