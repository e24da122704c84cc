"""What is wrong with an archive, or with a file beside it.

ArchiveError
└── FileError: a file beside the archive (results, resource list, ...) cannot be read
"""

from typing import Final

SHOWN: Final = 256
"""So many characters of a name that somebody else chose are shown."""


class ArchiveError(Exception):
    """An archive is refused: which member of it, and why."""

    def __init__(self, member: str, reason: str) -> None:
        self.member = shown(member)
        self.reason = reason
        about = f"member {self.member!r} of the archive" if member else "the archive"
        super().__init__(f"{about} is refused: {reason}")


class FileError(ArchiveError):
    """A file beside the archive cannot be read."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)
        self.args = (f"{what} cannot be read: {reason}",)


def shown(name: str) -> str:
    """Cut a name that somebody else chose to what is worth showing."""
    return name if len(name) <= SHOWN else name[: SHOWN - 3] + "..."
