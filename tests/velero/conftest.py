"""The original's programs and those of a real cluster, or a reason to skip."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.real_cluster import Missing, Programs
from tests.real_cluster.child import Died
from tests.real_cluster.fixture import needed_programs, refuse
from tests.velero.beside import Beside, beside
from tests.velero.programs import VeleroPrograms, find_velero
from tests.velero.s3 import s3_server
from tests.velero.server import check_port

VELERO_REQUIRED = "KEDGE_REQUIRE_VELERO"


@pytest.fixture(scope="session")
def real_programs() -> Programs:
    return needed_programs()


@pytest.fixture(scope="module")
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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place(
    real_programs: Programs,
    velero_programs: VeleroPrograms,
    velero_port: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Beside]:
    """A cluster in which the original is the engine of our self-service."""
    folder = tmp_path_factory.mktemp("beside")
    with s3_server(folder / "s3") as s3:
        async with beside(real_programs, velero_programs, s3, folder / "cluster") as found:
            yield found
