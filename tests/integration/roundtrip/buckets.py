"""The two places that a backup goes to: a folder, and a real S3 server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from kedge.objects.bucket import Bucket
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place
from tests.velero.s3 import S3Server

BUCKET = "roundtrip"
FILESYSTEM = "kedge.dev/filesystem"


@asynccontextmanager
async def folder_bucket(folder: Path) -> AsyncIterator[Bucket]:
    """Open a folder."""
    bucket = open_bucket(Place(FILESYSTEM, BUCKET), Surroundings(folder=folder))
    yield bucket
    await bucket.close()


@asynccontextmanager
async def s3_bucket(server: S3Server, prefix: str) -> AsyncIterator[Bucket]:
    """Open a bucket of a server, below a prefix."""
    place = Place("aws", BUCKET, prefix, server.config, server.credentials.encode())
    bucket = open_bucket(place, Surroundings())
    yield bucket
    await bucket.close()
