"""Contents that are given inline or kept in a file, which is read again as time goes by."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, TypeVar

from kedge.aio.clock import Clock
from kedge.client.where.errors import ConfigError

logger = logging.getLogger(__name__)

AGAIN_SECONDS: Final = 5.0
"""How old a reading may be. A kubelet renews a token minutes before the old one ends."""
LARGEST: Final = 16 * 1024 * 1024
"""Bytes of one file; a bundle of certificates has some hundred thousand."""


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes that were given, or the file that has them."""

    name: str
    """The field that says so, for messages."""
    data: bytes = field(default=b"", repr=False)
    path: Path | None = None
    """Read if there are no data."""

    @classmethod
    def of(cls, name: str, data: bytes, path: str) -> "Content":
        """Take data before a file; say which field it was."""
        return cls(f"{name}-data", data) if data else cls(name, path=Path(path))

    @property
    def may_change(self) -> bool:
        """Tell whether it makes sense to read again."""
        return not self.data

    def read(self) -> bytes:
        """Give the bytes; raises ConfigError if the file cannot be read."""
        if self.data or self.path is None:
            return self.data
        try:
            with self.path.open("rb") as file:
                data = file.read(LARGEST + 1)
        except (OSError, ValueError) as exc:
            reason = exc.strerror if isinstance(exc, OSError) else "the name is not valid"
            raise ConfigError(f"{self.name}: cannot read {self.path}: {reason}") from None
        if len(data) > LARGEST:
            raise ConfigError(f"{self.name}: {self.path} is larger than {LARGEST} bytes")
        return data


Value = TypeVar("Value")


class Reread(Generic[Value]):
    """A value made of contents; the same object until they change.

    If the new contents are of no use (files are being replaced, one after the other), the last
    good value stays.
    """

    def __init__(
        self,
        contents: Sequence[Content],
        make: Callable[[list[bytes]], Value],
        clock: Clock,
        spare: Value | None = None,
    ) -> None:
        """Read for the first time; raises ConfigError if no value can be made, nor is a spare."""
        self._contents = contents
        self._make = make
        self._clock = clock
        self._may_change = any(one.may_change for one in contents)
        self._due = clock.monotonic() + AGAIN_SECONDS
        self._read: list[bytes] | None = None
        try:
            self._read = [one.read() for one in contents]
            self._value = make(self._read)
        except ConfigError:
            if spare is None:
                raise
            self._value = spare

    def value(self) -> Value:
        """Give the value, read again if the last reading is old."""
        if self._may_change and self._clock.monotonic() >= self._due:
            self.look()
        return self._value

    def look(self) -> bool:
        """Read again at once; tell whether there is a new value."""
        if not self._may_change:
            return False
        self._due = self._clock.monotonic() + AGAIN_SECONDS
        try:
            read = [one.read() for one in self._contents]
            if read == self._read:
                return False
            self._value = self._make(read)
        except ConfigError as exc:
            logger.warning("credentials not renewed", extra={"reason": str(exc)})
            return False
        self._read = read
        return True
