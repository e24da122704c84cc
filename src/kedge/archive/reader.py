"""Read a `.tar.gz` as it comes, trusting nothing that it says."""

from collections.abc import Iterator
from typing import Final

from kedge.archive.errors import ArchiveError
from kedge.archive.header import BLOCK
from kedge.archive.inflate import Inflater
from kedge.archive.limits import DEFAULT, Limits
from kedge.archive.member import (
    DIRECTORY,
    EXTENSIONS,
    LONG_NAME,
    PAX_ALL,
    PAX_NEXT,
    REFUSED,
    REGULAR,
    Header,
    padded,
    pax_size,
    read_header,
    read_pax,
)
from kedge.archive.path import Path, shown_name, split

ZEROS: Final = bytes(BLOCK)
EXTENSION_BYTES: Final = 1024 * 1024
"""Of a pax header: more than all attributes of a file that a Linux file system keeps."""
PORTION: Final = 16 * 1024
"""Of packed bytes: they are read in some milliseconds, so that others need not wait."""
Member = tuple[Path, bytes]
"""A regular file: where it is, and what is in it."""


def portions(chunk: bytes) -> Iterator[bytes]:
    """Cut a chunk into what can be fed without keeping others waiting."""
    if len(chunk) <= PORTION:
        yield chunk
        return
    for start in range(0, len(chunk), PORTION):
        yield chunk[start : start + PORTION]


class Reader:
    """Takes the bytes of an archive, gives its regular files; raises ArchiveError."""

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self.members = 0
        self._limits = limits
        self._limit = limits.item_bytes
        self._inflater = Inflater(limits)
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._needed = BLOCK
        self._has_ended = False
        self._name: bytes | None = None
        self._size: int | None = None
        self._extended = False

    @property
    def size_bytes(self) -> int:
        """Tell how many bytes of the archive were read."""
        return self._inflater.packed_bytes

    def feed(self, chunk: bytes) -> Iterator[Member]:
        """Read some more of the archive."""
        for piece in self._inflater.feed(chunk):
            self._held.append(piece)
            self._held_bytes += len(piece)
            if self._held_bytes >= self._needed:
                yield from self._read()

    def finish(self) -> None:
        """Check that the archive was whole."""
        self._inflater.finish()
        if not self._has_ended:
            raise ArchiveError("", "it ends too early: the tar data is cut off")
        self._check_end(b"".join(self._held))

    def _read(self) -> Iterator[Member]:
        """Give the members that are there as a whole; keep the rest."""
        data = b"".join(self._held)
        at = 0
        self._needed = BLOCK
        while not self._has_ended and len(data) - at >= BLOCK:
            # The name of no member is empty: few blocks must be looked at as a whole.
            if not data[at] and data[at : at + BLOCK] == ZEROS:
                self._end()
                break
            header = read_header(data, at)
            if self._extended or header.type not in REGULAR or header.size > self._limit:
                header = self._header(header)
            start = at + BLOCK
            whole = BLOCK + padded(header.size)
            if len(data) - at < whole:
                self._needed = whole
                break
            at += whole
            if member := self._take(header, data[start : start + header.size]):
                yield member
        rest = data[at:]
        if self._has_ended:
            self._check_end(rest)
            rest = b""
        self._held = [rest] if rest else []
        self._held_bytes = len(rest)

    def _end(self) -> None:
        if self._extended:
            raise ArchiveError("", "it ends too early: a header stands for no file")
        self._has_ended = True

    def _check_end(self, rest: bytes) -> None:
        if rest.strip(b"\0"):
            raise ArchiveError("", "there is something behind its end")

    def _header(self, header: Header) -> Header:
        """Add to a header what the ones before said about it; check what can be checked now."""
        if header.type in EXTENSIONS:
            if header.size > EXTENSION_BYTES:
                raise ArchiveError(shown_name(header.name), "its extended header is too long")
            return header
        name = header.name if self._name is None else self._name
        if header.type == DIRECTORY:
            return Header(name, 0, DIRECTORY)
        if header.type not in REGULAR:
            what = REFUSED.get(header.type, f"of the type {header.type!r}")
            raise ArchiveError(shown_name(name), f"it is {what}, and only regular files are taken")
        size = header.size if self._size is None else self._size
        if size > self._limit:
            reason = f"it has {size} bytes, and at most {self._limit} are taken"
            raise ArchiveError(shown_name(name), reason)
        return Header(name, size, header.type)

    def _take(self, header: Header, data: bytes) -> Member | None:
        self.members += 1
        if self.members > self._limits.members:
            raise ArchiveError("", f"it has more than {self._limits.members} members")
        if header.type in EXTENSIONS:
            self._extend(header, data)
            return None
        if self._extended:
            self._name = self._size = None
            self._extended = False
        if header.type == DIRECTORY or header.name.endswith(b"/"):
            self._check_folder(header.name)
            return None
        return split(header.name, self._limits.name_bytes), data

    def _check_folder(self, path: bytes) -> None:
        name = path.rstrip(b"/")
        if name not in {b"", b"."} or path.startswith(b"/"):
            split(name, self._limits.name_bytes)

    def _extend(self, header: Header, data: bytes) -> None:
        """Take note of what a header says about the next member."""
        if header.type == LONG_NAME:
            self._name = data.partition(b"\0")[0]
            self._extended = True
        elif header.type in {PAX_NEXT, PAX_ALL}:
            self._apply(header, read_pax(data, header.name))

    def _apply(self, header: Header, records: dict[str, bytes]) -> None:
        if any(key.startswith("GNU.sparse") for key in records):
            name = records.get("GNU.sparse.name", records.get("path", header.name))
            raise ArchiveError(
                shown_name(name), "it is a sparse file, and only regular files are taken"
            )
        if header.type == PAX_ALL:
            if "path" in records or "size" in records:
                raise ArchiveError(
                    shown_name(header.name), "it gives one name or size to all members"
                )
            return
        self._extended = True
        if path := records.get("path"):
            self._name = path
        if size := records.get("size"):
            self._size = pax_size(size, header.name)
