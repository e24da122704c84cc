"""Each case of the table on the API: apply it, read its CronJobs, and let ten years pass."""

from datetime import UTC, datetime
from heapq import merge

import pytest

from kedge.api.plain import from_plain
from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.kube.kind import Object
from tests.integration.controllers.slipway import slipway
from tests.unit.controllers.prescaled.scenarios import ALL_YEARS, MORE, NEVER_COLD, SCENARIOS
from tests.unit.controllers.prescaled.truth import truth
from tests.unit.controllers.prescaled.world import World, firings, same

pytestmark = pytest.mark.asyncio

START = datetime(2026, 1, 1, tzinfo=UTC)
DAILY_YEARS = 4
"""One of them is a leap year."""


@pytest.mark.parametrize("most", [DAILY_YEARS, pytest.param(ALL_YEARS, marks=pytest.mark.slow)])
async def test_all_starts_of_every_case(most: int) -> None:
    cases = SCENARIOS | MORE
    names = {f"case-{number}": case for number, case in enumerate(cases)}
    async with slipway(START) as port, port.running():
        for name, case in names.items():
            one = cases[case]
            await port.make(name, one.schedule, one.lead, **one.more)
        await port.quiet()
        children = await port.children()
        objects = {name: await port.get(name) for name in names}
    for name, case in names.items():
        mine = {
            key: one
            for key, one in children.items()
            if one["metadata"]["ownerReferences"][0]["name"] == name
        }
        end = START.replace(year=START.year + cases[case].years(most))
        assert problem(objects[name], mine, end) == "", case


def problem(raw: Object, children: dict[str, Object], end: datetime) -> str:
    """Say what is wrong with the starts of an object until then."""
    obj = from_plain(PRE_SCALED_CRON_JOB, raw)
    if raw["status"]["mode"] == "Static":
        found = merge(*(firings(child, START, end) for child in children.values()))
        return same(found, truth(obj, START, end))
    rolling = {name: {**one, "status": {}} for name, one in children.items()}
    world = World(obj, START, rolling)
    world.run(end)
    return same(world.starts, truth(obj, START, end))


async def test_what_would_never_be_cold_has_no_cron_job() -> None:
    async with slipway(START) as port, port.running():
        for number, case in enumerate(NEVER_COLD.values()):
            await port.make(f"case-{number}", case.schedule, case.lead)
        await port.quiet()
        assert await port.children() == {}
        for number in range(len(NEVER_COLD)):
            assert "nothing would ever be cold" in await port.ready(f"case-{number}")
