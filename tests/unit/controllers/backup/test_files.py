"""The archive is read on its way to the bucket, and what is in the bucket is what went there."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from kedge.archive import layout
from kedge.archive.writer import ArchiveWriter
from kedge.controllers.backup.files import Files, Unwhole
from kedge.engine.backup.run import BackupOutcome
from kedge.engine.storage.store import BackupStore
from kedge.objects.filesystem import FolderBucket
from kedge.testing import FakeClock
from tests.unit.archive.archives import item

pytestmark = pytest.mark.asyncio

KEY = layout.backup_contents("b")


def archive(count: int) -> tuple[bytes, BackupOutcome]:
    """Write so many items; give the bytes, and what the engine would say of them."""
    writer = ArchiveWriter(7)
    for number in range(count):
        writer.add(item("pods", "n", f"p{number}"))
    data = writer.finish()
    return data, BackupOutcome(count, size_bytes=len(data), sha256=writer.sha256)


async def chunks(data: bytes, step: int = 100) -> AsyncGenerator[bytes, None]:
    for start in range(0, len(data), step):
        yield data[start : start + step]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    bucket = FolderBucket(tmp_path, "bucket", "", "", make=True)
    return Files(BackupStore(bucket), "b", FakeClock())


async def replace(files: Files, data: bytes) -> None:
    await files.store.put_file(KEY, data)


@pytest.mark.parametrize("step", [1, 100, 10**6])
async def test_what_has_arrived_is_what_was_written(files: Files, step: int) -> None:
    data, outcome = archive(20)
    written = await files.put_archive(chunks(data, step))
    assert (written.items, written.size_bytes) == (20, len(data))
    await files.verify(written, outcome)


DATA, _ = archive(20)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"no archive", id="something else"),
        pytest.param(DATA[:-20], id="cut"),
        pytest.param(DATA[:200] + DATA[201:], id="a byte less"),
        pytest.param(DATA + DATA, id="twice"),
    ],
)
async def test_what_can_not_be_read_is_told_before_it_is_read_back(
    files: Files, data: bytes
) -> None:
    with pytest.raises(Unwhole, match="none that can be read"):
        await files.put_archive(chunks(data))


async def test_what_breaks_off_is_not_in_the_bucket(files: Files) -> None:
    with pytest.raises(Unwhole):
        await files.put_archive(chunks(b"no archive"))
    assert not await files.store.bucket.exists(KEY)


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param(flipped(DATA, 4), id="a bit of the header that no reader looks at"),
        pytest.param(flipped(DATA, 300), id="a bit in the middle"),
        pytest.param(DATA[:-1], id="a byte less"),
        pytest.param(DATA + b"\0", id="a byte more"),
        pytest.param(archive(19)[0], id="another archive, whole and readable"),
        pytest.param(b"", id="nothing"),
    ],
)
async def test_what_was_changed_in_the_bucket_is_found(files: Files, damaged: bytes) -> None:
    data, outcome = archive(20)
    written = await files.put_archive(chunks(data))
    await replace(files, damaged)
    with pytest.raises(Unwhole, match=f"it has {len(damaged)} bytes"):
        await files.verify(written, outcome)


async def test_what_is_gone_from_the_bucket_is_found(files: Files) -> None:
    data, outcome = archive(1)
    written = await files.put_archive(chunks(data))
    await files.store.bucket.delete([KEY])
    with pytest.raises(Unwhole, match="can not be read back"):
        await files.verify(written, outcome)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(BackupOutcome(21, sha256=archive(20)[1].sha256), id="other items"),
        pytest.param(BackupOutcome(20, sha256=archive(19)[1].sha256), id="other bytes"),
    ],
)
async def test_what_left_must_be_what_was_made(files: Files, said: BackupOutcome) -> None:
    written = await files.put_archive(chunks(DATA))
    with pytest.raises(Unwhole, match="it holds 20 items"):
        await files.verify(written, said)
