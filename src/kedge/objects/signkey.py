"""The key that signs URLs of objects in folders.

It lies in the root, beside the buckets, so that all who serve that root have the same one.
"""

import os
import secrets
from pathlib import Path
from typing import Final

from kedge.objects.folder import FILE_MODE, open_file, opened, sync_folder
from kedge.objects.signing import KEY_BYTES

NAME: Final = ".kedge-signing-key"
"""No bucket can have that name."""


def read_key(root: Path) -> bytes | None:
    """Read the key of a root; None if it has none, or none that can be used."""
    try:
        with opened(root, []) as here:
            file = open_file(here, NAME)
            try:
                key = os.read(file, KEY_BYTES + 1)
            finally:
                os.close(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return key if len(key) == KEY_BYTES else None


def make_key(root: Path) -> bytes:
    """Read the key of a root, and make it if there is none."""
    while (key := read_key(root)) is None:
        _make(root)
    return key


def _make(root: Path) -> None:
    draft = f"{NAME}-{secrets.token_hex(16)}"
    with opened(root, []) as here:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        file = os.open(draft, flags, FILE_MODE, dir_fd=here)
        try:
            os.write(file, secrets.token_bytes(KEY_BYTES))
            os.fsync(file)
            # A link, and no move: of two that make a key at once, the first one wins.
            os.link(draft, NAME, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)
        except FileExistsError:
            _remove_misfit(here)
        finally:
            os.close(file)
            os.unlink(draft, dir_fd=here)
            sync_folder(here)


def _remove_misfit(here: int) -> None:
    """Delete a key file that has not the length of a key: nobody can have used it."""
    file = open_file(here, NAME)
    try:
        if os.fstat(file).st_size != KEY_BYTES:
            os.unlink(NAME, dir_fd=here)
    finally:
        os.close(file)
