"""Read an archive that we wrote, to see that it is whole and readable."""

from dataclasses import dataclass
from hashlib import sha256

from kedge.archive.errors import ArchiveError
from kedge.archive.item import FORMAT, VERSION_FILE
from kedge.archive.limits import DEFAULT, Limits
from kedge.archive.reader import Reader
from kedge.archive.sift import Sieve


@dataclass(frozen=True, slots=True)
class Summary:
    """What a whole and readable archive was found to be."""

    items: int
    size_bytes: int
    sha256: str


class Verifier:
    """Reads an archive chunk by chunk; raises ArchiveError at the first thing that is wrong."""

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self._reader = Reader(limits)
        self._sieve = Sieve(strict=True)
        self._digest = sha256()
        self._items = 0

    def feed(self, chunk: bytes) -> None:
        """Read some more of the `.tar.gz`: small chunks, for it takes a while."""
        self._digest.update(chunk)
        self._items += sum(1 for _ in self._sieve.sift(self._reader.feed(chunk)))

    def finish(self) -> Summary:
        """End the reading; raises ArchiveError unless the archive is whole."""
        self._reader.finish()
        self._items += self._sieve.last() is not None
        if self._sieve.version != FORMAT:
            raise ArchiveError(VERSION_FILE, f"it does not say {FORMAT}")
        return Summary(self._items, self._reader.size_bytes, self._digest.hexdigest())
