"""The bucket of a location, with backups and restores where Velero keeps them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from kedge.aio.closing import Closing
from kedge.archive import layout
from kedge.engine.storage.errors import ContentError, LocationError
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.objects.bucket import Bucket
from kedge.objects.errors import PlaceError, Unreachable

SIGNED_FOR: Final = timedelta(minutes=10)
"""How long a URL for a download is good."""
LARGEST_METADATA: Final = 16 * 1024 * 1024
"""Bytes of a velero-backup.json; an object of Kubernetes is never larger than 1.5 MiB."""
WHOLE_SECONDS: Final = 120.0
"""For a file that is read whole: who keeps a bucket may send one letter at a time."""
SHOWN: Final = 3
"""Folders that a message names; Velero names as many."""


class BackupStore(Closing):
    """Backups and restores in one bucket. Every method raises ObjectsError.

    The keys of files come from `kedge.archive.layout`.
    """

    def __init__(self, bucket: Bucket) -> None:
        """Keep backups in this bucket, which is closed with the store."""
        self.bucket = bucket

    async def check(self) -> None:
        """Raise ObjectsError unless the bucket can be listed, and is one for backups."""
        others = [name for name in await self.bucket.folders() if name not in layout.TOP_LEVEL]
        if len(others) > SHOWN:
            shown = " ".join([*others[:SHOWN], "..."])
            raise LocationError(
                f"Backup store contains {len(others)} invalid top-level directories: [{shown}]"
            )
        if others:
            raise LocationError(
                f"Backup store contains invalid top-level directories: [{' '.join(others)}]"
            )

    async def backups(self) -> list[str]:
        """List the names of the folders that may hold a backup, sorted."""
        return await self.bucket.folders(layout.BACKUPS)

    async def has_backup(self, name: str) -> bool:
        """Tell whether this backup is there: whole, and not on its way out."""
        return await self.bucket.exists(layout.backup_metadata(_named(name)))

    async def metadata(self, name: str) -> Object:
        """Read the Backup of velero-backup.json; raise ObjectNotFound, or ContentError."""
        key = layout.backup_metadata(_named(name))
        return _object(key, await self.whole(key, LARGEST_METADATA))

    async def whole(self, key: str, most: int) -> bytes:
        """Read a file that is small, and soon read; raise ObjectNotFound, or ContentError."""
        data = bytearray()
        try:
            async with asyncio.timeout(WHOLE_SECONDS), aclosing(self.bucket.read(key)) as pieces:
                async for piece in pieces:
                    data += piece
                    if len(data) > most:
                        raise ContentError(f"{key} is larger than {most} bytes")
        except TimeoutError:
            raise Unreachable(f"reading {key!r}: no end after {WHOLE_SECONDS:g} seconds") from None
        return bytes(data)

    async def put_file(self, key: str, data: bytes | AsyncIterable[bytes]) -> None:
        """Store a file; it can be seen only when it is whole."""
        await self.bucket.put(key, data)

    def read_file(self, key: str) -> AsyncGenerator[bytes, None]:
        """Read a file piece by piece; raise ObjectNotFound if there is none."""
        return self.bucket.read(key)

    async def delete_backup(self, name: str) -> None:
        """Delete all files of a backup, the one that says it exists first.

        So whoever looks in between, or after a crash, finds no backup, and not half of one.
        """
        await self.bucket.delete([layout.backup_metadata(_named(name))])
        await self._delete_folder(layout.backup_folder(name))

    async def delete_restore(self, name: str) -> None:
        """Delete all files of a restore."""
        await self._delete_folder(layout.restore_folder(_named(name)))

    async def _delete_folder(self, folder: str) -> None:
        await self.bucket.delete([key async for key in self.bucket.keys(folder)])

    async def sign(self, key: str, now: datetime) -> str:
        """Give a URL with which anybody can GET a file for ten minutes."""
        return await self.bucket.sign(key, SIGNED_FOR, now)

    async def close(self) -> None:
        """Close the bucket."""
        await self.bucket.close()


def _named(name: str) -> str:
    """Give the name of a backup or restore back; no other text may become part of a key."""
    if not name or "/" in name or name in (".", ".."):
        raise PlaceError(f"{cut(name)!r} is no name of a backup or restore")
    return name


def _object(key: str, text: bytes) -> Object:
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise ContentError(f"{key} is not JSON: {cut(str(exc))}") from exc
    if not isinstance(value, dict):
        raise ContentError(f"{key} must hold a Backup, but holds no JSON object")
    return value
