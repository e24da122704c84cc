"""Files with secrets: readable by their owner alone, and either whole or not there."""

import os
from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """Put a file in place in one step, with mode 0600; a crash leaves the old one or the new."""
    # A link stays a link: what it points to is replaced.
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    descriptor = os.open(temporary, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o600)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def folder(path: Path) -> None:
    """Make a folder that only its owner can enter."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)


def settle(path: Path) -> None:
    """Have the names in a folder survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
