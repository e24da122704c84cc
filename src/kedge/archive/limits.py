"""How much of an archive is too much: an archive is untrusted input."""

from dataclasses import dataclass
from typing import Final

MEBIBYTE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What a reader takes; an archive that goes beyond is refused."""

    item_bytes: int = 32 * MEBIBYTE
    """Of one member: as shipped, an API server takes three MiB, and etcd one and a half."""
    members: int = 20_000_000
    """Files of one archive; each item is two."""
    resources: int = 20_000
    """Kinds of objects; a cluster with a thousand is a large one."""
    name_bytes: int = 8_192
    """Of one path: twice what a file system takes."""
    ratio: int = 250
    """How many bytes one byte of the archive may unpack to, on average ..."""
    free_bytes: int = 4_096 * MEBIBYTE
    """... not counting so many, for objects that happen to be all alike."""
    file_bytes: int = 256 * MEBIBYTE
    """Of one file beside the archive, unpacked."""


DEFAULT: Final = Limits()
