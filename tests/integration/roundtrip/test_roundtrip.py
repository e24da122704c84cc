"""A cluster full of trouble, backed up, and restored into an empty one, is the same."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from kedge.api.velero.backup import BackupSpec
from kedge.objects.bucket import Bucket
from tests.integration.roundtrip.buckets import folder_bucket, s3_bucket
from tests.integration.roundtrip.compare import State, differences, state
from tests.integration.roundtrip.journey import Port, Told, back, embedded, outward, real, unpacked
from tests.integration.roundtrip.scene import Scene
from tests.real_cluster import Programs
from tests.velero.s3 import S3Server

EVERYTHING = BackupSpec(include_cluster_resources=True)
"""Without it, what is in no namespace would stay away as soon as a label keeps a namespace out."""


async def travel(
    source: AbstractAsyncContextManager[Port],
    target: AbstractAsyncContextManager[Port],
    bucket: Bucket,
) -> None:
    """Fill a cluster, back it up, restore it into another one, and compare them."""
    before, told = await depart(source, bucket)
    assert told.errors == {}
    async with target as port, unpacked(bucket) as contents:
        assert contents.warnings == []
        assert contents.refused == []
        lost = list(differences(before, await state(port.looking)))
        _, told = await back(port.client, contents)
        after = await state(port.looking)
    assert len(lost) > 200, "the other cluster was not empty"
    assert told.errors == {}
    assert list(differences(before, after)) == []


async def depart(source: AbstractAsyncContextManager[Port], bucket: Bucket) -> tuple[State, Told]:
    """Fill a cluster, and back it up."""
    async with source as port:
        await Scene(port.looking).make(is_embedded=port.is_embedded)
        before = await state(port.looking)
        _, told = await outward(port.client, bucket, EVERYTHING)
    return before, told


@pytest.mark.asyncio
async def test_embedded_through_a_folder(tmp_path: Path) -> None:
    async with folder_bucket(tmp_path) as bucket:
        await travel(embedded(), embedded(), bucket)


@pytest.mark.asyncio
@pytest.mark.slow
async def test_embedded_through_s3(s3: S3Server) -> None:
    async with s3_bucket(s3, "embedded") as bucket:
        await travel(embedded(), embedded(), bucket)


@pytest.mark.asyncio
@pytest.mark.slow
async def test_real_through_s3(programs: Programs, s3: S3Server, tmp_path: Path) -> None:
    async with s3_bucket(s3, "real") as bucket:
        source, target = tmp_path / "source", tmp_path / "target"
        await travel(real(programs, source), real(programs, target), bucket)
