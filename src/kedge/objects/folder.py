"""Files below one folder, reached step by step, so that no link can lead out of it."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

FOLDER_MODE: Final = 0o700
"""Backups hold Secrets: they are nobody else's."""
FILE_MODE: Final = 0o600

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
"""Without waiting: a pipe that somebody left there must not hold us up."""


_NO_SYNC: Final = (errno.EINVAL, errno.ENOTSUP)
"""What file systems say that can not bring a folder to the disk, such as some of a network."""


_NO_NAME: Final = errno.ENAMETOOLONG
"""What a file system says to a name that none of its files can have: there is no such file."""


class LinkFound(OSError):
    """A link, or something else that is neither file nor folder, is in the way."""


@contextmanager
def opened(root: Path, parts: Sequence[str], make: bool = False) -> Iterator[int]:
    """Open a folder below the root, which may be a link itself; missing ones can be made."""
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            above, here = here, _step(here, part, make)
            os.close(above)
        yield here
    finally:
        os.close(here)


def _step(here: int, part: str, make: bool) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=here)
    except FileNotFoundError:
        if not make:
            raise
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.ENOTDIR) and _is_link(here, part):
            raise LinkFound(exc.errno, f"{part!r} is a link, and links are not followed") from exc
        if exc.errno == _NO_NAME and not make:
            raise FileNotFoundError(errno.ENOENT, f"{part!r} is no folder") from exc
        raise
    with suppress(FileExistsError):
        os.mkdir(part, FOLDER_MODE, dir_fd=here)
    sync_folder(here)
    return os.open(part, _FOLDER, dir_fd=here)


def sync_folder(here: int) -> None:
    """Bring the names in an open folder to the disk, where that can be done."""
    try:
        os.fsync(here)
    except OSError as exc:
        if exc.errno not in _NO_SYNC:
            raise


def _is_link(here: int, name: str) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode)


def open_file(here: int, name: str) -> int:
    """Open a regular file of a folder to read it; raise FileNotFoundError for anything else."""
    try:
        file = os.open(name, _FILE, dir_fd=here)
    except OSError as exc:
        if exc.errno == errno.ELOOP:
            raise LinkFound(exc.errno, f"{name!r} is a link, and links are not followed") from exc
        if exc.errno == _NO_NAME:
            raise FileNotFoundError(errno.ENOENT, f"{name!r} is no file") from exc
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise FileNotFoundError(errno.ENOENT, f"{name!r} is no file")
    return file


def is_file(here: int, name: str) -> bool:
    """Tell whether a folder has this regular file."""
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False
    except OSError as exc:
        if exc.errno == _NO_NAME:
            return False
        raise


def files_below(here: int, path: str = "") -> Iterator[str]:
    """Go through the paths of all regular files below an open folder, sorted by folder."""
    for name, is_folder in _entries(here):
        below = f"{path}/{name}" if path else name
        if not is_folder:
            yield below
            continue
        try:
            inner = os.open(name, _FOLDER, dir_fd=here)
        except FileNotFoundError:
            continue  # it went in the meantime
        try:
            yield from files_below(inner, below)
        finally:
            os.close(inner)


def folders_with_files(here: int) -> list[str]:
    """List the folders directly in an open folder that have a file somewhere below, sorted."""
    found = []
    for name, is_folder in _entries(here):
        if not is_folder:
            continue
        try:
            inner = os.open(name, _FOLDER, dir_fd=here)
        except FileNotFoundError:
            continue  # it went in the meantime
        try:
            if any(True for _ in files_below(inner)):
                found.append(name)
        finally:
            os.close(inner)
    return found


def _entries(here: int) -> list[tuple[str, bool]]:
    with os.scandir(here) as entries:
        return sorted(
            (entry.name, entry.is_dir(follow_symlinks=False))
            for entry in entries
            if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
        )
