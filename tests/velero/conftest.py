"""The original's programs and those of a real cluster, or a reason to skip."""

import pytest

from tests.real_cluster import Missing, Programs
from tests.real_cluster.child import Died
from tests.real_cluster.fixture import needed_programs, refuse
from tests.velero.programs import VeleroPrograms, find_velero
from tests.velero.server import check_port

VELERO_REQUIRED = "KEDGE_REQUIRE_VELERO"


@pytest.fixture(scope="session")
def real_programs() -> Programs:
    return needed_programs()


@pytest.fixture
def velero_port() -> None:
    try:
        check_port()
    except Died as exc:
        pytest.skip(str(exc))


@pytest.fixture(scope="session")
def velero_programs() -> VeleroPrograms:
    try:
        return find_velero()
    except Missing as exc:
        refuse(exc, VELERO_REQUIRED)
