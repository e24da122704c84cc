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
    split_path,
)

ZEROS: Final = bytes(BLOCK)
EXTENSION_BYTES: Final = 1024 * 1024
"""Of a pax header: more than all attributes of a file that a Linux file system keeps."""
PORTION: Final = 16 * 1024
"""Of packed bytes: they are read in some milliseconds, so that others need not wait."""
Member = tuple[list[str], bytes]
"""A regular file: the parts of its path, and what is in it."""


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
            block = data[at : at + BLOCK]
            if block == ZEROS:
                self._end()
                break
            header = self._header(block)
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

    def _header(self, block: bytes) -> Header:
        """Read a header, with what the ones before said about it; check what can be checked now."""
        header = read_header(block)
        if header.type in EXTENSIONS:
            if header.size > EXTENSION_BYTES:
                raise ArchiveError(_show(header.name), "its extended header is too long")
            return header
        name = header.name if self._name is None else self._name
        if header.type == DIRECTORY:
            return Header(name, 0, DIRECTORY)
        if header.type not in REGULAR:
            what = REFUSED.get(header.type, f"of the type {header.type!r}")
            raise ArchiveError(_show(name), f"it is {what}, and only regular files are taken")
        size = header.size if self._size is None else self._size
        if size > self._limits.item_bytes:
            reason = f"it has {size} bytes, and at most {self._limits.item_bytes} are taken"
            raise ArchiveError(_show(name), reason)
        is_told_before = self._name is not None or self._size is not None
        return Header(name, size, header.type) if is_told_before else header

    def _take(self, header: Header, data: bytes) -> Member | None:
        self.members += 1
        if self.members > self._limits.members:
            raise ArchiveError("", f"it has more than {self._limits.members} members")
        if header.type in EXTENSIONS:
            self._extend(header, data)
            return None
        self._name = self._size = None
        self._extended = False
        is_folder = header.type == DIRECTORY or header.name.endswith(b"/")
        name = header.name.rstrip(b"/") if is_folder else header.name
        if is_folder and name in {b"", b"."} and not header.name.startswith(b"/"):
            return None
        parts = split_path(name, self._limits.name_bytes)
        return None if is_folder else (parts, data)

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
            raise ArchiveError(_show(name), "it is a sparse file, and only regular files are taken")
        if header.type == PAX_ALL:
            if "path" in records or "size" in records:
                raise ArchiveError(_show(header.name), "it gives one name or size to all members")
            return
        self._extended = True
        if path := records.get("path"):
            self._name = path
        if size := records.get("size"):
            self._size = pax_size(size, header.name)


def _show(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
