"""A bucket in a cloud, or in what speaks like one, through obstore."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import obstore
from obstore.exceptions import BaseError
from obstore.store import AzureStore, GCSStore, S3Store

from kedge.objects.batches import batched
from kedge.objects.errors import ObjectNotFound, Refused, Unreachable
from kedge.objects.exit import end_gently
from kedge.objects.keys import check_key, folder_of, join
from kedge.objects.settle import settled
from kedge.objects.translate import translate

if TYPE_CHECKING:
    from obstore import AsyncWritableFile

logger = logging.getLogger(__name__)

Store = S3Store | GCSStore | AzureStore

PIECE: Final = 1024 * 1024
"""Bytes that are handed over at once."""
PART: Final = 5 * 1024 * 1024
"""Bytes of a part of a large object: the least that S3 takes; it takes 10,000 of them."""
PARTS_AT_ONCE: Final = 2
"""Parts that are under way while the next is filled: this bounds the memory of a put."""
LISTING_SECONDS: Final = 120.0
"""For all pages of a list: who keeps a bucket may go on to send pages for ever."""
PATIENCE: Final = 10.0
"""Seconds that a cancelled put may take to end what it has begun, and again to undo it."""

_SIGNED_PLAINLY: Final = "/-._~!$&'()*+,;=:@"
"""What obstore leaves as it is in a URL of Azure; of all else it signs the escapes."""

_ERRORS: Final = (BaseError, OSError, ValueError)
"""All that obstore raises; its writers raise OSError, too."""


@dataclass(frozen=True)
class Uploading:
    """How objects are stored."""

    part_bytes: int = PART
    tags: dict[str, str] = field(default_factory=dict)


class RemoteBucket:
    """Objects in a bucket of a store, below a prefix."""

    def __init__(
        self, store: Store, place: str, prefix: str, uploading: Uploading, signer: Store | str
    ) -> None:
        """Use a store; `place` names it for people. A signer can be a reason why there is none."""
        end_gently()
        self._store = store
        self._place = place
        self._prefix = prefix
        self._uploading = uploading
        self._tags = uploading.tags or None
        self._signer = signer

    async def put(self, key: str, data: bytes | AsyncIterable[bytes]) -> None:
        """Store an object; it can be seen only when it is whole.

        A cancellation that comes with the last answer is too late: then the object is there.
        """
        path, doing = self._path(key), self._doing("storing", key)
        async with aclosing(batched(data, PIECE)) as pieces:
            head = await _head(pieces, self._uploading.part_bytes)
            if sum(map(len, head)) >= self._uploading.part_bytes:
                await self._put_parts(key, head, pieces)
                return
        whole = b"".join(head)
        small = obstore.put_async(self._store, path, whole, tags=self._tags, use_multipart=False)
        await _done(small, doing)

    async def _put_parts(self, key: str, head: list[bytes], rest: AsyncIterable[bytes]) -> None:
        doing = self._doing("storing", key)
        writer = obstore.open_writer_async(
            self._store,
            self._path(key),
            buffer_size=self._uploading.part_bytes,
            tags=self._tags,
            max_concurrency=PARTS_AT_ONCE,
        )
        try:
            await _done(writer.write(b"".join(head)), doing)
            head.clear()  # nobody needs to hold it any more
            async for piece in rest:
                await _done(writer.write(piece), doing)
            await _done(writer.close(), doing)
        except BaseException:
            await self._abort(writer, key)
            raise

    async def _abort(self, writer: "AsyncWritableFile", key: str) -> None:
        """Undo an upload, so that no parts of it are left that nobody sees, but somebody pays."""
        try:
            if await writer.closed():
                return  # an upload that fails at its very end was undone by the writer
            undoing = writer.__aexit__(asyncio.CancelledError, None, None)
            async with asyncio.timeout(PATIENCE):
                await settled(undoing, patience_seconds=PATIENCE)
        except (*_ERRORS, TimeoutError) as exc:
            logger.warning(
                "could not undo an upload; parts of it may be left in the bucket",
                extra={"key": key, "error": str(translate(exc, "undoing"))},
            )

    async def get(self, key: str) -> bytes:
        """Read an object whole."""
        return b"".join([piece async for piece in self.read(key)])

    async def read(self, key: str) -> AsyncGenerator[bytes, None]:
        """Read an object piece by piece."""
        path = self._path(key)
        doing = self._doing("reading", key)
        try:
            answer = await obstore.get_async(self._store, path)
            length = answer.meta["size"]
            pieces = answer.stream(min_chunk_size=PIECE)
        except _ERRORS as exc:
            raise translate(exc, doing, ObjectNotFound) from None
        while True:
            try:
                piece = bytes(await anext(pieces))
            except StopAsyncIteration:
                break
            except _ERRORS as exc:
                raise translate(exc, doing, ObjectNotFound) from None
            length -= len(piece)
            yield piece
        if length:
            raise Unreachable(f"{doing}: the answer ended early")

    async def exists(self, key: str) -> bool:
        """Tell whether there is such an object; in a bucket that is missing there is none."""
        try:
            await obstore.head_async(self._store, self._path(key))
        except _ERRORS as exc:
            error = translate(exc, self._doing("looking for", key), ObjectNotFound)
            if isinstance(error, ObjectNotFound):
                return False
            raise error from None
        return True

    async def keys(self, folder: str = "") -> AsyncIterator[str]:
        """Go through the keys of all objects below a folder."""
        path = join(self._prefix, folder_of(folder))
        pages = obstore.list(self._store, path or None, chunk_size=1000)
        while True:
            try:
                page = await anext(pages)
            except StopAsyncIteration:
                return
            except _ERRORS as exc:
                raise translate(exc, self._doing("listing", folder or "/")) from None
            for found in page:
                # A store may show the folder itself, where a console has made one.
                if not path or found["path"].startswith(f"{path}/"):
                    yield self._key(found["path"])

    async def folders(self, folder: str = "") -> list[str]:
        """List the names of the folders directly below a folder, sorted."""
        path, doing = join(self._prefix, folder_of(folder)), self._doing("listing", folder or "/")
        try:
            async with asyncio.timeout(LISTING_SECONDS):
                found = await obstore.list_with_delimiter_async(self._store, path or None)
        except TimeoutError:
            raise Unreachable(f"{doing}: no end after {LISTING_SECONDS:g} seconds") from None
        except _ERRORS as exc:
            raise translate(exc, doing) from None
        return sorted({name.strip("/").rpartition("/")[2] for name in found["common_prefixes"]})

    async def delete(self, keys: Iterable[str]) -> None:
        """Delete objects; those that are not there are fine."""
        for key in keys:
            try:
                await obstore.delete_async(self._store, self._path(key))
            except _ERRORS as exc:
                error = translate(exc, self._doing("deleting", key), ObjectNotFound)
                if not isinstance(error, ObjectNotFound):
                    raise error from None

    async def sign(self, key: str, valid: timedelta, now: datetime) -> str:
        """Give a URL with which anybody can GET the object; obstore reads the clock itself."""
        path = self._path(key)
        if isinstance(self._signer, str):
            raise Refused(f"no URL for {key!r} in {self._place}: {self._signer}")
        if isinstance(self._signer, AzureStore) and quote(path, safe=_SIGNED_PLAINLY) != path:
            raise Refused(
                f"no URL for {key!r} in {self._place}: letters beyond ASCII, blanks and some "
                "signs can not be signed for Azure"
            )
        try:
            return await obstore.sign_async(self._signer, "GET", path, valid)
        except _ERRORS as exc:
            raise translate(exc, self._doing("signing a URL for", key)) from None

    async def close(self) -> None:
        """Hold nothing that is not let go of with the bucket itself."""

    def _path(self, key: str) -> str:
        return join(self._prefix, check_key(key))

    def _key(self, path: str) -> str:
        return path[len(self._prefix) + 1 :] if self._prefix else path

    def _doing(self, what: str, key: str) -> str:
        return f"{what} {key!r} in {self._place}"


async def _head(pieces: AsyncIterator[bytes], size: int) -> list[bytes]:
    """Take pieces until there are this many bytes, or no more pieces."""
    taken: list[bytes] = []
    while sum(map(len, taken)) < size:
        try:
            taken.append(await anext(pieces))
        except StopAsyncIteration:
            break
    return taken


async def _done(work: Awaitable[object], doing: str) -> None:
    """Wait for a part of a put, and make its error ours; one that is under way is not left."""
    try:
        await settled(work, patience_seconds=PATIENCE)
    except _ERRORS as exc:
        raise translate(exc, doing) from None
