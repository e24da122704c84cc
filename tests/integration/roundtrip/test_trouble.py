"""The trouble leaves nothing out, and the comparison notices what it should."""

import pytest

from tests.integration.roundtrip.compare import MAY_BE_ABSENT, MAY_DIFFER, differences, state
from tests.integration.roundtrip.compare import resources as listed
from tests.integration.roundtrip.journey import embedded
from tests.integration.roundtrip.manifests import REFUSED
from tests.integration.roundtrip.scene import Scene


@pytest.mark.asyncio
async def test_every_kind_of_the_server_takes_part() -> None:
    async with embedded() as port:
        await Scene(port.looking).make(is_embedded=True)
        served = {name for _, name in await listed(port.looking)}
        found = {key[0] for key in await state(port.looking)}
    assert {name for name in served - found if not name.endswith(REFUSED)} == set()


def test_a_change_and_a_loss_are_told() -> None:
    before = {
        ("configmaps", "a", "kept"): {"metadata": {"name": "kept"}, "data": {"x": "1"}},
        ("configmaps", "a", "lost"): {"metadata": {"name": "lost"}},
    }
    after = {("configmaps", "a", "kept"): {"metadata": {"name": "kept"}, "data": {"x": "2"}}}
    assert list(differences(before, after)) == [
        "('configmaps', 'a', 'kept'): .data.x: 1 became 2",
        "missing: ('configmaps', 'a', 'lost')",
    ]


def test_a_number_that_becomes_another_kind_of_number_is_told() -> None:
    before = {("boats.sea", "", "tug"): {"metadata": {}, "spec": {"length": 1}}}
    after = {("boats.sea", "", "tug"): {"metadata": {}, "spec": {"length": 1.0}}}
    assert len(list(differences(before, after))) == 1


def test_all_that_may_differ_has_a_reason() -> None:
    reasons = [one.why for one in MAY_DIFFER] + list(MAY_BE_ABSENT)
    assert all(reasons)
    assert len(set(reasons)) == len(reasons)
