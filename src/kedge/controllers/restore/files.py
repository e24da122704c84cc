"""The files of one restore: the archive that it reads, and what it writes about itself."""

import logging
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Final

from kedge.aio.turn import turn
from kedge.archive import layout
from kedge.archive.contents import Contents, ContentsBuilder
from kedge.archive.files import gz_json, resource_list_file
from kedge.archive.reader import portions
from kedge.engine.storage.store import BackupStore
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.objects.errors import ObjectsError

logger = logging.getLogger(__name__)

NOTHING: Final = gz_json([])


@contextmanager
def scratch_file(folder: Path | None) -> Iterator[BinaryIO]:
    """Give a file without a name, which is gone at the end, however it comes."""
    with TemporaryFile(prefix="kedge-restore-", dir=folder) as file:
        yield file


async def download(store: BackupStore, backup: str, scratch: BinaryIO) -> Contents:
    """Read the archive of a backup; raises ObjectsError, ArchiveError, OSError."""
    builder = ContentsBuilder(scratch)
    async with aclosing(store.read_file(layout.backup_contents(backup))) as chunks:
        async for chunk in chunks:
            for portion in portions(chunk):
                builder.feed(portion)
                await turn()
    return builder.finish()


@dataclass(slots=True)
class Report:
    """What a restore writes about itself, beside its log."""

    results: Object
    resource_list: dict[str, list[str]]


async def upload(store: BackupStore, name: str, log: bytes, report: Report) -> bool:
    """Write all files of a restore; tell whether the log is there.

    That one of the others could not be written is no reason to call a restore bad.
    """
    has_log = await _put(store, layout.restore_log(name), log)
    if not has_log:
        errors = report.results.setdefault("errors", {})
        errors.setdefault("velero", []).append("error uploading log file to backup storage")
    files = {
        layout.restore_results(name): gz_json(report.results),
        layout.restore_resource_list(name): resource_list_file(report.resource_list),
        layout.restore_operations(name): NOTHING,
        layout.restore_volume_info(name): NOTHING,
    }
    for key, data in files.items():
        await _put(store, key, data)
    return has_log


async def _put(store: BackupStore, key: str, data: bytes) -> bool:
    try:
        await store.put_file(key, data)
    except ObjectsError as exc:
        text = cut(str(exc))
        logger.warning("a file of a restore was not written", extra={"key": key, "error": text})
        return False
    return True
