"""The controller ends at each of its calls, or the network fails it: the end is the same."""

from collections.abc import Callable
from typing import Any

import pytest

from kedge.testing import crash, faults
from tests.integration.selfservice.passage import STAYING, Passage
from tests.integration.sweeps import Cut, daily
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

PASSAGES = {
    "our kinds": lambda: Passage(None, has_subresource=True),
    "a stock Velero's kinds": lambda: Passage(stock_crds(), has_subresource=False),
}
WRITES = faults.matches(write=True)
WATCHES = faults.matches(watch=True)
LISTS = faults.matches(verb="list")
KINDS = "our kinds"

_known: dict[str, Any] = {}


async def expected(kinds: str = KINDS) -> Any:
    """Give the end state without any trouble; it is found out once."""
    if kinds not in _known:
        _known[kinds] = await crash.run(PASSAGES[kinds]().scenario())
    return _known[kinds]


def of_kind(state: Any, kind: str) -> list[str]:
    return sorted(one["metadata"]["name"] for one in state if one["kind"] == kind)


@pytest.mark.parametrize("kinds", PASSAGES)
async def test_without_any_trouble_each_comes_to_its_end(kinds: str) -> None:
    found = await expected(kinds)
    assert of_kind(found, "NonAdminBackup") == sorted(STAYING)
    # Those of fresh, kept and synced; all others were asked to be deleted, or are lost.
    assert len(of_kind(found, "Backup")) == 3
    assert of_kind(found, "DeleteBackupRequest") == []


@pytest.mark.parametrize(
    ("methods", "least"),
    [
        pytest.param(["POST"], 2, id="creates"),
        pytest.param(["POST", "PUT", "DELETE"], 20, id="all", marks=pytest.mark.slow),
    ],
)
async def test_it_survives_an_end_after_each_single_write(methods: list[str], least: int) -> None:
    cut = Cut(WRITES, [faults.Side.AFTER], least)
    await cut.by_method(PASSAGES[KINDS]().scenario(), *methods)


@pytest.mark.slow
async def test_it_survives_an_end_after_each_position() -> None:
    # How many are told by themselves, and not with something else, is another each time.
    when = faults.matches(method="PATCH", write=True)
    scenario = PASSAGES[KINDS]().scenario()
    await crash.crash_everywhere(scenario, when=when, sides=[faults.Side.AFTER])


Before = Callable[[faults.Proxy], faults.Injection]
FAULTS: dict[str, Before] = {
    "requests lost": lambda proxy: proxy.inject(faults.LoseRequest(), times=5),
    "answers lost": lambda proxy: proxy.inject(faults.LoseAnswer(), times=5),
    "answers to writes lost": lambda proxy: proxy.inject(faults.LoseAnswer(), WRITES, times=12),
    "done but conflict": lambda proxy: proxy.inject(
        faults.DoneBut(faults.conflict()), WRITES, times=12
    ),
    "conflicts": lambda proxy: proxy.inject(faults.Refuse(faults.conflict()), WRITES, times=12),
    "exists already": lambda proxy: proxy.inject(
        faults.DoneBut(faults.already_exists()), faults.matches(verb="create"), times=3
    ),
    "not found": lambda proxy: proxy.inject(faults.Refuse(faults.not_found()), WRITES, times=6),
    "500": lambda proxy: proxy.inject(faults.Refuse(faults.failure(500)), times=5),
    "429": lambda proxy: proxy.inject(faults.Refuse(faults.too_many_requests(0)), times=5),
    "expired event": lambda proxy: proxy.inject(faults.ErrorEvent(2), WATCHES, times=3),
    "watches that end": lambda proxy: proxy.inject(faults.EndWatch(1), WATCHES, times=9),
    "events twice": lambda proxy: proxy.inject(faults.DuplicateEvent(), WATCHES),
    "writes twice": lambda proxy: proxy.inject(faults.SendTwice(), WRITES),
    "events first": lambda proxy: proxy.inject(faults.EventFirst(), WRITES),
    "answers first": lambda proxy: proxy.inject(faults.AnswerFirst(), WRITES),
    "garbage": lambda proxy: proxy.inject(faults.GarbageBody(), WRITES, times=4),
}


DAILY = (
    "answers to writes lost",
    "done but conflict",
    "exists already",
    "not found",
    "500",
    "expired event",
    "writes twice",
    "answers first",
)


@pytest.mark.parametrize("fault", daily(FAULTS, DAILY))
async def test_it_reaches_the_same_end_under_faults(fault: str) -> None:
    injections: list[faults.Injection] = []
    found = await crash.run(
        PASSAGES[KINDS]().scenario(), lambda proxy: injections.append(FAULTS[fault](proxy))
    )
    assert injections[0].hits
    assert not crash.difference(await expected(), found)


async def test_it_reaches_the_same_end_with_lists_of_the_past() -> None:
    past = faults.Past()

    def before(proxy: faults.Proxy) -> None:
        proxy.inject(past.keep, LISTS, times=8)
        proxy.inject(past.serve, LISTS, after=8, times=4)
        proxy.inject(faults.ErrorEvent(3), WATCHES, times=4)

    found = await crash.run(PASSAGES[KINDS]().scenario(), before)
    assert not crash.difference(await expected(), found)
