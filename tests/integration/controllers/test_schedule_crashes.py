"""The controller ends at each of its calls, or the network fails it: the end is the same."""

from collections.abc import Callable
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.testing import crash, faults
from tests.integration.controllers.voyage import EXPECTED, Voyage, backups_of
from tests.integration.sweeps import WRITES, Cut, cuts, daily, undisturbed
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

VOYAGES = {
    "our kinds": lambda: Voyage(crds(), has_subresource=True),
    "a stock Velero's kinds": lambda: Voyage(stock_crds(), has_subresource=False),
}
WATCHES = faults.matches(watch=True)
LISTS = faults.matches(verb="list")


async def expected(kinds: str) -> Any:
    """Give the end state of a voyage without any trouble; it is found out once."""
    return await undisturbed(f"schedules of {kinds}", VOYAGES[kinds]().scenario())


@pytest.mark.parametrize("kinds", VOYAGES)
async def test_without_any_trouble_each_schedule_gets_its_backups(kinds: str) -> None:
    assert backups_of(await expected(kinds)) == EXPECTED


@pytest.mark.parametrize("kinds", daily(VOYAGES, ["our kinds"]))
@pytest.mark.parametrize("cut", cuts(thin=8, whole=2 * 15))
async def test_it_survives_an_end_at_its_calls(kinds: str, cut: Cut) -> None:
    crashes = await cut.crashes(VOYAGES[kinds]().scenario())
    calls = {one.call.split("?")[0].split("/namespaces/velero/")[-1] for one in crashes}
    assert "POST /apis/velero.io/v1" not in calls
    if not cut.is_whole:
        return
    reached = {call.removesuffix("/status") for call in calls}
    # Each crash is a run of its own, and the order of the schedules differs between runs: the
    # n-th call need not be the same one twice, so that a call may be met by no crash.
    assert "backups" in reached
    assert len({call for call in reached if call.startswith("schedules/")}) >= len(EXPECTED) - 3


Before = Callable[[faults.Proxy], faults.Injection]
FAULTS: dict[str, Before] = {
    "requests lost": lambda proxy: proxy.inject(faults.LoseRequest(), times=5),
    "requests broken off": lambda proxy: proxy.inject(faults.LoseRequest(reset=True), times=5),
    "answers lost": lambda proxy: proxy.inject(faults.LoseAnswer(), times=5),
    "writes lost": lambda proxy: proxy.inject(faults.LoseRequest(), WRITES, times=6),
    "answers to writes lost": lambda proxy: proxy.inject(faults.LoseAnswer(), WRITES, times=6),
    "done but conflict": lambda proxy: proxy.inject(
        faults.DoneBut(faults.conflict()), WRITES, times=6
    ),
    "done but failed": lambda proxy: proxy.inject(
        faults.DoneBut(faults.failure(500)), WRITES, times=6
    ),
    "conflicts": lambda proxy: proxy.inject(faults.Refuse(faults.conflict()), WRITES, times=6),
    "exists already": lambda proxy: proxy.inject(
        faults.DoneBut(faults.already_exists()), faults.matches(verb="create"), times=3
    ),
    "not found": lambda proxy: proxy.inject(faults.Refuse(faults.not_found()), WRITES, times=6),
    "forbidden": lambda proxy: proxy.inject(faults.Refuse(faults.bare(403)), WRITES, times=4),
    "500": lambda proxy: proxy.inject(faults.Refuse(faults.failure(500)), times=5),
    "502": lambda proxy: proxy.inject(faults.Refuse(faults.bare(502, "<html>")), times=5),
    "503": lambda proxy: proxy.inject(faults.Refuse(faults.failure(503)), times=5),
    "504": lambda proxy: proxy.inject(faults.Refuse(faults.failure(504)), WRITES, times=5),
    "429": lambda proxy: proxy.inject(faults.Refuse(faults.too_many_requests(0)), times=5),
    "expired": lambda proxy: proxy.inject(faults.Refuse(faults.expired()), WATCHES, times=3),
    "expired event": lambda proxy: proxy.inject(faults.ErrorEvent(2), WATCHES, times=3),
    "half events": lambda proxy: proxy.inject(faults.CutEvent(2), WATCHES, times=3),
    "watches that end": lambda proxy: proxy.inject(faults.EndWatch(1), WATCHES, times=9),
    "nonsense in a watch": lambda proxy: proxy.inject(faults.InsertLine(after=1), WATCHES, times=3),
    "events twice": lambda proxy: proxy.inject(faults.DuplicateEvent(), WATCHES),
    "writes twice": lambda proxy: proxy.inject(faults.SendTwice(), WRITES),
    "events first": lambda proxy: proxy.inject(faults.EventFirst(), WRITES),
    "answers first": lambda proxy: proxy.inject(faults.AnswerFirst(), WRITES),
    "single bytes": lambda proxy: proxy.inject(faults.Split(64)),
    "garbage": lambda proxy: proxy.inject(faults.GarbageBody(), WRITES, times=4),
    "no HTTP": lambda proxy: proxy.inject(faults.GarbageAnswer(), WRITES, times=4),
    "half a body": lambda proxy: proxy.inject(faults.TruncateBody(), times=4),
    "a body cut": lambda proxy: proxy.inject(faults.CutBody(10), times=4),
    "too long": lambda proxy: proxy.inject(faults.WrongLength(5), WRITES, times=4),
}


DAILY = (
    "requests lost",
    "answers to writes lost",
    "done but conflict",
    "conflicts",
    "exists already",
    "not found",
    "500",
    "429",
    "expired event",
    "half events",
    "events twice",
    "writes twice",
    "events first",
    "answers first",
    "garbage",
)


@pytest.mark.parametrize("kinds", daily(VOYAGES, ["our kinds"]))
@pytest.mark.parametrize("fault", daily(FAULTS, DAILY))
async def test_it_reaches_the_same_end_under_faults(fault: str, kinds: str) -> None:
    injections: list[faults.Injection] = []
    found = await crash.run(
        VOYAGES[kinds]().scenario(), lambda proxy: injections.append(FAULTS[fault](proxy))
    )
    assert injections[0].hits
    assert backups_of(found) == EXPECTED
    assert not crash.difference(await expected(kinds), found)


@pytest.mark.parametrize("kinds", VOYAGES)
async def test_it_reaches_the_same_end_though_the_server_goes_away_again_and_again(
    kinds: str,
) -> None:
    async def stumble(proxy: faults.Proxy) -> None:
        for _ in range(6):
            seen = len(proxy.calls)
            await proxy.signal.until(lambda seen=seen: len(proxy.calls) > seen + 1)  # type: ignore[misc]
            async with proxy.down():
                pass

    found = await crash.run(VOYAGES[kinds]().scenario(), during=stumble)
    assert not crash.difference(await expected(kinds), found)


async def test_it_reaches_the_same_end_with_lists_of_the_past() -> None:
    past = faults.Past()

    def before(proxy: faults.Proxy) -> None:
        proxy.inject(past.keep, LISTS, times=2)
        proxy.inject(past.serve, LISTS, after=2, times=2)
        proxy.inject(faults.ErrorEvent(3), WATCHES, times=2)

    found = await crash.run(VOYAGES["our kinds"]().scenario(), before)
    assert not crash.difference(await expected("our kinds"), found)
