"""The `real_cluster` fixture: one cluster for all tests that need it, or a reason to skip."""

import os
from collections.abc import Iterator

import pytest

from tests.real_cluster.cluster import CONTROLLERS, RealCluster, Setup, running
from tests.real_cluster.programs import Missing, find

REQUIRED = "KEDGE_REQUIRE_REAL_CLUSTER"


@pytest.fixture(scope="session")
def real_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """A real cluster with its controllers; without programs a skip, or a failure if REQUIRED=1."""
    try:
        programs = find()
    except Missing as exc:
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(str(exc))
        pytest.skip(str(exc))
    folder = tmp_path_factory.mktemp("real-cluster")
    with running(programs, folder, Setup(controllers=CONTROLLERS)) as cluster:
        yield cluster
