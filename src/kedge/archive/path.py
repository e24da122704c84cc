"""The paths of members: none that leads anywhere else, each split into its folder and its file."""

from functools import lru_cache
from typing import Final

from msgspec import Struct

from kedge.archive.errors import ArchiveError

KEPT: Final = 64
"""Folders that are at hand: files of one folder mostly follow each other."""

_NOWHERE: Final = frozenset({"", ".", ".."})


class Path(Struct, frozen=True, gc=False):
    """Where a member is."""

    folder: tuple[str, ...]
    file: str

    def __str__(self) -> str:
        """Write it as the archive does."""
        return "/".join((*self.folder, self.file))


def split(name: bytes, limit: int) -> Path:
    """Split the path of a member; raises ArchiveError if it leads anywhere else, or is too long."""
    # With its slash: the folder of `/a` is another one than that of `a`.
    at = name.rfind(b"/") + 1
    last = name[at:]
    # What sorts behind a slash is not empty, and does not begin with a dot.
    is_plain = last > b"/" and last.isascii() and b"\0" not in last
    if is_plain and len(name) <= limit and (folder := _folder(name[:at])) is not None:
        return Path(folder, last.decode())
    *parents, file = _parts(name, limit)
    return Path(tuple(parents), file)


@lru_cache(KEPT)
def _folder(head: bytes) -> tuple[str, ...] | None:
    """Split what is before the file, with its slash; None: it is not plain."""
    file = b"file"
    try:
        return tuple(_parts(head + file, len(head + file))[:-1])
    except ArchiveError:
        return None


def _parts(name: bytes, limit: int) -> list[str]:
    if len(name) > limit:
        raise ArchiveError(shown_name(name), f"its name is longer than {limit} bytes")
    try:
        path = name.decode()
    except UnicodeDecodeError as exc:
        raise ArchiveError(shown_name(name), "its name is not UTF-8") from exc
    if "\0" in path:
        raise ArchiveError(path, "its name has a zero byte")
    if path.startswith("/"):
        raise ArchiveError(path, "its path is absolute")
    while path.startswith("./"):
        path = path[2:]
    parts = path.split("/")
    if not _NOWHERE.isdisjoint(parts):
        leads_out = ".." in parts
        raise ArchiveError(path, "its path leads out" if leads_out else "its path is not plain")
    return parts


def shown_name(name: bytes) -> str:
    """Give a name that may be no text as one that can be shown."""
    return name.decode("utf-8", "backslashreplace")
