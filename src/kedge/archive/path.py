"""The paths of members: none that leads anywhere else, each split into its folder and its file."""

from typing import Final

from msgspec import Struct

from kedge.archive.errors import ArchiveError

KEPT: Final = 64
"""Folders that are known to be plain: files of one folder mostly follow each other."""

_NOWHERE: Final = frozenset({"", ".", ".."})


class Path(Struct, frozen=True, gc=False):
    """Where a member is."""

    folder: tuple[str, ...]
    file: str

    def __str__(self) -> str:
        """Write it as the archive does."""
        return "/".join((*self.folder, self.file))


class Paths:
    """Splits paths; a folder that was seen lately is not looked at again."""

    def __init__(self, limit: int) -> None:
        """Take paths of so many bytes at most."""
        self._limit = limit
        self._known: dict[bytes, tuple[str, ...]] = {}

    def split(self, name: bytes) -> Path:
        """Split the path of a member; raises ArchiveError if it leads anywhere else."""
        # With its slash: the folder of `/a` is another one than that of `a`.
        at = name.rfind(b"/") + 1
        head, last = name[:at], name[at:]
        folder = self._known.get(head)
        # What sorts behind a slash is not empty, and does not begin with a dot.
        is_plain = last > b"/" and last.isascii() and b"\0" not in last
        if folder is not None and is_plain and len(name) <= self._limit:
            return Path(folder, last.decode())
        *parents, file = _parts(name, self._limit)
        if len(self._known) >= KEPT:
            self._known.clear()
        folder = self._known[head] = tuple(parents)
        return Path(folder, file)


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
