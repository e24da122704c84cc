"""Files that are read whole, and no further than makes sense: a bucket is not ours alone."""

import logging
from typing import Any, Final

from kedge.archive.errors import ArchiveError
from kedge.archive.files import read_gz_json
from kedge.archive.limits import MEBIBYTE, Limits
from kedge.engine.storage.errors import ContentError
from kedge.engine.storage.store import BackupStore
from kedge.kube.foreign import cut
from kedge.objects.errors import ObjectNotFound

logger = logging.getLogger(__name__)

LARGEST: Final = 64 * MEBIBYTE
"""Bytes of a list that is read whole, packed or unpacked."""


async def read_list(store: BackupStore, key: str) -> list[Any]:
    """Read a list from a gzip JSON file, null being empty; raise ObjectNotFound or ContentError."""
    data = await store.whole(key, LARGEST)
    try:
        value = read_gz_json(data, key, Limits(file_bytes=LARGEST))
    except ArchiveError as exc:
        raise ContentError(str(exc)) from exc
    if value is None:
        return []
    if not isinstance(value, list):
        raise ContentError(f"{key} must hold a list, and does not")
    return value


async def read_lenient(store: BackupStore, key: str) -> list[Any]:
    """Read a list that may be missing; one that nobody can read is as good as empty, and told."""
    try:
        return await read_list(store, key)
    except ObjectNotFound:
        return []
    except ContentError as exc:
        logger.warning("a file of a backup is not readable", extra={"error": cut(str(exc))})
        return []
