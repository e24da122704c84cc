"""Files that are being written, in a folder of their own until they are whole.

Each is locked while it is written, so that what a killed process left behind can be told from
what another process is writing.
"""

import fcntl
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kedge.objects.folder import FILE_MODE, is_file, opened, sync_folder

SPOOL: Final = ".kedge"
"""The folder, in that of the bucket, so that a file can be moved out of it without a copy."""
DRAFT: Final = "draft-"
"""What the names of files that are being written begin with."""

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

MOVES: Final = 10
"""How often to make the folder anew that somebody else deletes since it is empty."""


class SpooledFile:
    """A file that is being written; end it with `move` or with `drop`."""

    def __init__(self, root: Path) -> None:
        """Make a new file in the spool folder of a root."""
        self._root = root
        self._name = DRAFT + secrets.token_hex(16)
        with opened(root, [SPOOL], make=True) as spool:
            # Whoever sweeps holds this lock alone, and so never sees a file without its lock.
            fcntl.flock(spool, fcntl.LOCK_SH)
            self._file = os.open(self._name, _NEW, FILE_MODE, dir_fd=spool)
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def write(self, data: bytes) -> None:
        """Write all of this."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def move(self, folder: Sequence[str], name: str) -> None:
        """Put the whole file in its place, for good: a power cut can not undo it."""
        os.fsync(self._file)
        for attempt in range(MOVES):
            try:
                self._move(folder, name)
                break
            except FileNotFoundError:
                if attempt == MOVES - 1:
                    raise
        self._close()

    def _move(self, folder: Sequence[str], name: str) -> None:
        with opened(self._root, folder, make=True) as here:
            with opened(self._root, [SPOOL]) as spool:
                os.rename(self._name, name, src_dir_fd=spool, dst_dir_fd=here)
            sync_folder(here)

    def drop(self) -> None:
        """Delete the file, unless it is in its place already."""
        if self._file < 0:
            return
        try:
            with opened(self._root, [SPOOL]) as spool:
                os.unlink(self._name, dir_fd=spool)
        except FileNotFoundError:
            pass
        finally:
            self._close()

    def _close(self) -> None:
        file, self._file = self._file, -1
        os.close(file)


def sweep(root: Path) -> int:
    """Delete what killed processes left in the spool folder of a root, and count it."""
    swept = 0
    try:
        with opened(root, [SPOOL]) as spool:
            if not _lock(spool):
                return 0  # somebody is making a file at this moment: the next time will do
            for name in os.listdir(spool):
                if name.startswith(DRAFT) and is_file(spool, name):
                    swept += _sweep_one(spool, name)
    except FileNotFoundError:
        return 0
    return swept


def _sweep_one(spool: int, name: str) -> bool:
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=spool)
    except OSError:
        return False
    try:
        if not _lock(file):
            return False
        os.unlink(name, dir_fd=spool)
        return True
    finally:
        os.close(file)


def _lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
