"""The files of one backup in its bucket: how they are written, checked and removed."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeVar

from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock
from kedge.aio.together import together
from kedge.aio.turn import turn
from kedge.archive import layout
from kedge.archive.errors import ArchiveError
from kedge.archive.files import gz_json, metadata_json, resource_list_file
from kedge.archive.verify import Summary, Verifier
from kedge.engine.backup.run import BackupOutcome
from kedge.engine.journal import Journal
from kedge.engine.storage.store import BackupStore
from kedge.kube.kind import Object
from kedge.objects.errors import ObjectNotFound, ObjectsError, Unreachable

logger = logging.getLogger(__name__)

T = TypeVar("T")

TRIES: Final = 3
"""Of what can be done again when the store does not answer."""
AGAIN: Final = Backoff(0.2, 5.0)
PIECE: Final = 64 * 1024
"""So much of an archive is checked before others have their turn."""


class Unwhole(Exception):
    """What was read back from the bucket is not what was written."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one backup."""

    store: BackupStore
    name: str
    clock: Clock

    async def put_beside(self, outcome: BackupOutcome, journal: Journal) -> None:
        """Write all files but the archive and the one that says that there is a backup."""
        nothing = gz_json([])
        name = self.name
        files = {
            layout.backup_results(name): gz_json(journal.results()),
            layout.backup_resource_list(name): resource_list_file(outcome.resource_list),
            layout.backup_pod_volumes(name): nothing,
            layout.backup_snapshots(name): nothing,
            layout.backup_operations(name): nothing,
            layout.backup_volume_info(name): gz_json(outcome.volume_infos),
        }
        writes = [self._put(key, data) for key, data in files.items()]
        await together(self.put_log(journal.log()), *writes)

    async def put_archive(self, chunks: AsyncGenerator[bytes, None]) -> Summary:
        """Write the archive, and read it on its way; raises Unwhole unless all can be read."""
        verifier = Verifier()
        key = layout.backup_contents(self.name)
        try:
            async with aclosing(_seen(chunks, verifier)) as seen:
                await self.store.put_file(key, seen)
            return verifier.finish()
        except ArchiveError as exc:
            raise Unwhole(f"the archive is none that can be read: {exc}") from exc

    async def verify(self, written: Summary, outcome: BackupOutcome) -> None:
        """Read the archive back; raises Unwhole unless it is, byte for byte, what was to be."""
        if (written.sha256, written.items) != (outcome.sha256, outcome.items):
            raise Unwhole(
                f"the archive that was written is not the one that was made: it holds "
                f"{written.items} items in {written.size_bytes} bytes, expected were "
                f"{outcome.items} in {outcome.size_bytes}"
            )
        try:
            size, digest = await self._again(self._digest)
        except ObjectNotFound as exc:
            raise Unwhole(f"the archive that was written can not be read back: {exc}") from exc
        if digest != written.sha256:
            raise Unwhole(
                f"the archive that was read back is not the one that was written: it has {size} "
                f"bytes, expected were {written.size_bytes}"
            )

    async def summary(self) -> Summary:
        """Read the archive from end to end; raises Unwhole unless all of it can be read."""
        try:
            return await self._again(self._read)
        except (ArchiveError, ObjectNotFound) as exc:
            raise Unwhole(f"the archive that was written can not be read back: {exc}") from exc

    async def put_metadata(self, backup: Object) -> None:
        """Write the file that says that there is a backup: the last, and once."""
        metadata = {
            name: value for name, value in backup["metadata"].items() if name != "managedFields"
        }
        whole = metadata_json({**backup, "metadata": metadata})
        await self._put(layout.backup_metadata(self.name), whole)

    async def metadata(self) -> Object | None:
        """Read the Backup that is in the bucket under this name; None: there is none."""
        try:
            return await self.store.metadata(self.name)
        except ObjectNotFound:
            return None

    async def put_log(self, log: bytes) -> None:
        """Write the log; a backup without one is as good."""
        try:
            await self._put(layout.backup_log(self.name), log)
        except ObjectsError as exc:
            logger.warning("the log was not uploaded", extra={"error": str(exc)})

    async def _read(self) -> Summary:
        verifier = Verifier()
        async with aclosing(self.store.read_file(layout.backup_contents(self.name))) as chunks:
            async for chunk in chunks:
                for start in range(0, len(chunk), PIECE):
                    verifier.feed(chunk[start : start + PIECE])
                    await turn()
        return verifier.finish()

    async def _digest(self) -> tuple[int, str]:
        """Count the bytes of the archive in the bucket, and give their SHA-256."""
        size, digest = 0, sha256()
        async with aclosing(self.store.read_file(layout.backup_contents(self.name))) as chunks:
            async for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
        return size, digest.hexdigest()

    async def _put(self, key: str, data: bytes) -> None:
        await self._again(lambda: self.store.put_file(key, data))

    async def _again(self, act: Callable[[], Awaitable[T]]) -> T:
        """Do something, and again where the store did not answer."""
        for failures in range(1, TRIES):
            try:
                return await act()
            except Unreachable:
                await self.clock.sleep(AGAIN.delay(failures))
        return await act()


async def _seen(
    chunks: AsyncGenerator[bytes, None], verifier: Verifier
) -> AsyncGenerator[bytes, None]:
    """Pass the chunks of an archive on, after the verifier has read them."""
    async with aclosing(chunks):
        async for chunk in chunks:
            verifier.feed(chunk)
            yield chunk
