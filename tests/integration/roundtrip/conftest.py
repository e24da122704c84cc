"""An S3 server for all round trips, and the programs of a real cluster or a reason to skip."""

from collections.abc import Iterator

import pytest

from tests.integration.roundtrip.buckets import BUCKET
from tests.real_cluster import Programs
from tests.real_cluster.fixture import needed_programs
from tests.velero.s3 import S3Server, s3_server


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        server.make_bucket(BUCKET)
        yield server


@pytest.fixture(scope="session")
def programs() -> Programs:
    return needed_programs()
