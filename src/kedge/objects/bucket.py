"""A bucket as everything else sees it: keys, and bytes that are there whole or not at all."""

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from datetime import datetime, timedelta
from typing import Protocol


class Bucket(Protocol):
    """A place for objects; keys are relative to the prefix of the place.

    Every method raises `ObjectsError`; a key that is no plain path is a `PlaceError`.
    """

    async def put(self, key: str, data: bytes | AsyncIterable[bytes]) -> None:
        """Store an object, in place of one that is there; it can be seen only when it is whole.

        An error, also one that `data` raises, and a cancellation leave what was there before.
        """

    async def get(self, key: str) -> bytes:
        """Read a small object whole; raise ObjectNotFound if there is none."""

    def read(self, key: str) -> AsyncGenerator[bytes, None]:
        """Read an object piece by piece; raise ObjectNotFound if there is none."""

    async def exists(self, key: str) -> bool:
        """Tell whether there is such an object."""

    def keys(self, folder: str = "") -> AsyncIterator[str]:
        """Go through the keys of all objects below a folder, at any depth, in no order."""

    async def folders(self, folder: str = "") -> list[str]:
        """List the names, without slashes, of the folders directly below a folder, sorted."""

    async def delete(self, keys: Iterable[str]) -> None:
        """Delete objects; those that are not there are fine."""

    async def sign(self, key: str, valid: timedelta, now: datetime) -> str:
        """Give a URL with which anybody can GET the object for that time."""

    async def close(self) -> None:
        """Let go of all that is held."""
