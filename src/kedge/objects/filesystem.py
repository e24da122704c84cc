"""A bucket that is a folder: `kedge.dev/filesystem`.

An object is a file. It is written elsewhere, brought to the disk, and moved into its place.
"""

import asyncio
import errno
import os
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
)
from contextlib import aclosing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from kedge.objects.batches import batched
from kedge.objects.errors import (
    BucketNotFound,
    ObjectNotFound,
    ObjectsError,
    PlaceError,
    Refused,
    StorageFull,
    Unreachable,
)
from kedge.objects.folder import (
    FOLDER_MODE,
    LinkFound,
    files_below,
    folders_with_files,
    is_file,
    open_file,
    opened,
    sync_folder,
)
from kedge.objects.keys import check_key, folder_of, join
from kedge.objects.settle import in_thread, settled
from kedge.objects.signing import sign
from kedge.objects.signkey import make_key
from kedge.objects.spool import SPOOL, SpooledFile, sweep

PIECE: Final = 1024 * 1024
"""Bytes that are read or written at once."""


class FolderBucket:
    """Objects in the folder of a bucket, below a prefix."""

    def __init__(self, root: Path, bucket: str, prefix: str, url: str, make: bool) -> None:
        """Keep objects in `<root>/<bucket>/<prefix>`; `make` both folders if they are missing."""
        self._root = root
        self._bucket = bucket
        self._prefix = prefix
        self._url = url
        self._make = make
        self._swept = False

    async def put(self, key: str, data: bytes | AsyncIterable[bytes]) -> None:
        """Store an object; it can be seen only when it is whole and on the disk."""
        *folder, name = self._parts(key)
        if isinstance(data, bytes):
            await in_thread(self._put_whole, key, data)
            return
        file = await settled(asyncio.to_thread(self._spool, key), SpooledFile.drop)
        try:
            async with aclosing(batched(data, PIECE)) as pieces:
                async for piece in pieces:
                    await in_thread(self._write, file, piece, key)
            await in_thread(self._move, file, folder, name)
        finally:
            await in_thread(file.drop)

    def _put_whole(self, key: str, data: bytes) -> None:
        *folder, name = self._parts(key)
        file = self._spool(key)
        try:
            self._write(file, data, key)
            self._move(file, folder, name)
        finally:
            file.drop()

    def _spool(self, key: str) -> SpooledFile:
        with self._told(f"storing {key!r}"):
            home = self._home()
            self._check_names(home, key)
            if not self._swept:
                sweep(home)
                self._swept = True
            return SpooledFile(home)

    def _check_names(self, home: Path, key: str) -> None:
        """Refuse at once what the file system would refuse when all is written."""
        longest = max(self._parts(key), key=_size)
        limit = os.pathconf(home, "PC_NAME_MAX")
        if 0 <= limit < _size(longest):
            raise PlaceError(
                f"storing {key!r} in {self}: {_size(longest)} bytes are too many for the name of a "
                f"file, which can have {limit} here; use a shorter name"
            )

    def _write(self, file: SpooledFile, piece: bytes, key: str) -> None:
        with self._told(f"storing {key!r}"):
            file.write(piece)

    def _move(self, file: SpooledFile, folder: list[str], name: str) -> None:
        with self._told(f"storing {'/'.join((*folder, name))!r}"):
            file.move(folder, name)

    async def get(self, key: str) -> bytes:
        """Read an object whole."""
        return b"".join([piece async for piece in self.read(key)])

    async def read(self, key: str) -> AsyncGenerator[bytes, None]:
        """Read an object piece by piece."""
        file = await settled(asyncio.to_thread(self._open, key), os.close)
        try:
            while piece := await in_thread(self._read, file, key):
                yield piece
        finally:
            os.close(file)

    def _open(self, key: str) -> int:
        *folder, name = self._parts(key)
        with self._told(f"reading {key!r}"):
            home = self._home()
            try:
                with opened(home, folder) as here:
                    return open_file(here, name)
            except (FileNotFoundError, NotADirectoryError) as exc:
                raise ObjectNotFound(f"there is no object {key!r} in {self}") from exc

    def _read(self, file: int, key: str) -> bytes:
        with self._told(f"reading {key!r}"):
            return os.read(file, PIECE)

    async def exists(self, key: str) -> bool:
        """Tell whether there is such an object."""
        return await in_thread(self._exists, key)

    def _exists(self, key: str) -> bool:
        *folder, name = self._parts(key)
        with self._told(f"looking for {key!r}"):
            home = self._home()
            try:
                with opened(home, folder) as here:
                    return is_file(here, name)
            except (FileNotFoundError, NotADirectoryError):
                return False

    async def keys(self, folder: str = "") -> AsyncIterator[str]:
        """Go through the keys of all objects below a folder."""
        for key in await in_thread(self._keys, folder_of(folder)):
            yield key

    def _keys(self, folder: str) -> list[str]:
        keys = self._look(folder, lambda here: list(files_below(here)))
        return [join(folder, key) for key in keys]

    async def folders(self, folder: str = "") -> list[str]:
        """List the names of the folders directly below a folder that have objects, sorted."""
        return await in_thread(self._folders, folder_of(folder))

    def _folders(self, folder: str) -> list[str]:
        return self._look(folder, folders_with_files)

    def _look(self, folder: str, look: Callable[[int], list[str]]) -> list[str]:
        path = join(self._prefix, folder)
        with self._told(f"listing {folder or '/'!r}"):
            home = self._home()
            try:
                with opened(home, path.split("/") if path else []) as here:
                    found = look(here)
            except (FileNotFoundError, NotADirectoryError):
                return []
        return found if path else [name for name in found if name.split("/")[0] != SPOOL]

    async def delete(self, keys: Iterable[str]) -> None:
        """Delete objects, and folders that are empty then."""
        for key in keys:
            await in_thread(self._delete, key)

    def _delete(self, key: str) -> None:
        *folder, name = self._parts(key)
        with self._told(f"deleting {key!r}"):
            home = self._home()
            try:
                with opened(home, folder) as here:
                    if is_file(here, name):
                        os.unlink(name, dir_fd=here)
                        sync_folder(here)
            except (FileNotFoundError, NotADirectoryError):
                return
            _prune(home, folder)

    async def sign(self, key: str, valid: timedelta, now: datetime) -> str:
        """Give a URL of our own server with which anybody can GET the object for that time."""
        path = join(self._bucket, "/".join(self._parts(key)))
        if not self._url:
            raise Refused(
                f"no URL for {key!r} in {self}: the server was not told at which address its "
                "downloads can be reached"
            )
        return sign(await in_thread(self._secret), self._url, path, now + valid)

    def _secret(self) -> bytes:
        with self._told("reading the key that signs URLs"):
            self._home()
            return make_key(self._root)

    async def close(self) -> None:
        """Hold nothing, and so let go of nothing."""

    def __str__(self) -> str:
        """Name the folder."""
        return str(self._root / self._bucket / self._prefix)

    def _parts(self, key: str) -> list[str]:
        parts = join(self._prefix, check_key(key)).split("/")
        if parts[0] == SPOOL:
            raise Refused(f"{SPOOL!r} in {self} is no place for objects")
        return parts

    def _home(self) -> Path:
        """Give the folder of the bucket, which must be there: one that is not is not empty."""
        home = self._root / self._bucket
        if self._make:
            self._root.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        try:
            with opened(self._root, [self._bucket], self._make):
                return home
        except (FileNotFoundError, NotADirectoryError) as exc:
            raise BucketNotFound(
                f"there is no folder {str(home)!r}; make it, or mount the disk that has it"
            ) from exc

    @contextmanager
    def _told(self, doing: str) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            raise _error(f"{doing} in {self}", exc) from exc


def _size(name: str) -> int:
    return len(name.encode())


def _prune(home: Path, folder: list[str]) -> None:
    """Remove folders that have become empty, from the inside out."""
    while folder:
        *folder, name = folder
        try:
            with opened(home, folder) as above:
                os.rmdir(name, dir_fd=above)
        except OSError:
            return  # it is not empty, or not there any more


_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_DENIED: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
_GONE: Final = (errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ENXIO, errno.ENODEV)


def _error(doing: str, exc: OSError) -> ObjectsError:
    text = f"{doing}: {exc.strerror or 'the system gave no reason'}"
    if isinstance(exc, LinkFound) or exc.errno in _DENIED:
        return Refused(text)
    if exc.errno in _FULL:
        return StorageFull(text)
    if exc.errno in _GONE:
        return Unreachable(text)
    return ObjectsError(text)
