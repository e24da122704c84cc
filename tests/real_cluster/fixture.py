"""The `real_cluster` fixture: one cluster for all tests that need it, or a reason to skip."""

import os
from collections.abc import Iterator
from typing import NoReturn

import pytest

from tests.real_cluster.cluster import CONTROLLERS, RealCluster, Setup, running
from tests.real_cluster.programs import Missing, Programs, find

REQUIRED = "KEDGE_REQUIRE_REAL_CLUSTER"


def needed_programs() -> Programs:
    """Give the programs of a real cluster; without them a skip, or a failure if REQUIRED=1."""
    try:
        return find()
    except Missing as exc:
        refuse(exc, REQUIRED)


def refuse(exc: Missing, variable: str) -> NoReturn:
    """Skip, or fail where the programs are insisted on."""
    if os.environ.get(variable) == "1":
        pytest.fail(str(exc))
    pytest.skip(str(exc))


@pytest.fixture(scope="session")
def real_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """A real cluster with its controllers; without programs a skip, or a failure if REQUIRED=1."""
    programs = needed_programs()
    folder = tmp_path_factory.mktemp("real-cluster")
    with running(programs, folder, Setup(controllers=CONTROLLERS)) as cluster:
        yield cluster
