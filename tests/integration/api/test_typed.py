"""Typed objects come back from a server that has our CRDs."""

import pytest

from tests.integration.api.places import Place
from tests.integration.api.rounds import KINDS, goes_round, typed
from tests.unit.api.examples import FULL


@pytest.mark.asyncio
@pytest.mark.parametrize("plural", KINDS)
async def test_an_object_comes_back_as_it_was_sent(place: Place, plural: str) -> None:
    full = typed(place, plural, FULL[plural], "typed")
    found = await goes_round(place, KINDS[plural], full)
    assert found.status == full.status
