"""Typed objects work with the CRDs of a stock Velero, which have no status subresource."""

from typing import Any

import msgspec
import pytest

from tests.integration.api.places import Place
from tests.integration.api.rounds import KINDS, goes_round, typed
from tests.unit.api.examples import EXAMPLES, FULL


@pytest.mark.asyncio
@pytest.mark.parametrize("plural", KINDS)
async def test_a_stock_velero_keeps_all_but_what_is_ours(stock: Place, plural: str) -> None:
    full = typed(stock, plural, FULL[plural], "typed")
    found = await goes_round(stock, KINDS[plural], full)
    expected = full.status
    if plural == "schedules":
        ours: dict[str, Any] = {"next_run": None, "conditions": None, "observed_generation": 0}
        expected = msgspec.structs.replace(full.status, **ours)
    assert found.status == expected


@pytest.mark.asyncio
@pytest.mark.parametrize("plural", KINDS)
async def test_what_the_go_programs_wrote_is_read_from_a_stock_velero(
    stock: Place, plural: str
) -> None:
    obj = EXAMPLES[plural]
    stock.create({**obj, "metadata": {"name": "go", "creationTimestamp": None}})
    async with stock.client() as client:
        found = await client.get(KINDS[plural], "go", stock.kubectl.namespace)
        assert found.spec == typed(stock, plural, obj, "go").spec
        names = {one.metadata.name async for one in client.list(KINDS[plural])}
    assert "go" in names
