"""A process that ends right after a request ends well."""

import asyncio
import sys

import pytest

from tests.integration.objects.seaweed import Seaweed

SCRIPT = """
import asyncio, sys
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place

config = {"s3Url": sys.argv[1], "s3ForcePathStyle": "true"}
environment = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing"}
bucket = open_bucket(Place("aws", "bucket", "", config), Surroundings(environment=environment))

async def main():
    try:
        await bucket.get("key")
    except Exception as exc:
        print(type(exc).__name__)

asyncio.run(main())
"""


@pytest.mark.asyncio
async def test_obstores_threads_do_not_abort_the_process(s3: Seaweed) -> None:
    for _ in range(5):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", SCRIPT, s3.url),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert (process.returncode, out.strip(), err) == (0, b"Refused", b"")
