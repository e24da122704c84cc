"""Our CRDs, and a stock Velero's, on the embedded API and on a real one."""

from collections.abc import Iterator

import pytest

from kedge.api.crd import crds
from tests.integration.api.places import PLACES, Place, place_of
from tests.unit.api.stock import stock_crds


@pytest.fixture(scope="module", params=PLACES)
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """Give a cluster that has our CRDs."""
    with place_of(request, tmp_path_factory, crds()) as place:
        yield place


@pytest.fixture(scope="module", params=PLACES)
def stock(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """Give a cluster that has the CRDs of a stock Velero."""
    with place_of(request, tmp_path_factory, stock_crds()) as place:
        yield place
