"""The queue and the backups of one process hear of what the other writes before a watch tells."""

import asyncio
from pathlib import Path

import pytest

from kedge.testing import FakeClock, faults
from tests.integration.controllers.quay import BACKUPS, Collector, Server, phases, quay
from tests.integration.eventually import eventually

pytestmark = pytest.mark.asyncio

WATCHES = faults.matches(verb="watch", resource="backups")
GETS = faults.matches(verb="get", resource="backups")
NAMES = ["a", "b", "c", "d"]


async def test_each_follows_the_one_before_though_the_watch_is_silent(tmp_path: Path) -> None:
    collector = Collector()
    async with quay(Server(tmp_path, clock=FakeClock(), collect=collector)) as port:
        for name in NAMES:
            await port.backup(name)
        port.proxy.inject(faults.StallAnswer(), WATCHES)
        async with port.running():
            for name in NAMES:
                assert (await port.ended(name))["phase"] == "Completed"
        for name in NAMES:
            calls = [call for call in port.proxy.calls if call.path.startswith(f"{BACKUPS}/{name}")]
            ready = next(at for at, one in enumerate(calls) if b"ReadyToStart" in one.request.body)
            assert not [call for call in calls[ready:] if GETS(call.request)]
    assert collector.begun == NAMES


async def test_a_word_that_comes_late_starts_nothing_twice(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The watch may be faster than the answer to the write that it tells of."""
    collector, stall = Collector(), faults.StallAnswer()
    is_ready = faults.matches(verb="patch", resource="backups/status")
    async with quay(Server(tmp_path, collect=collector)) as port, port.running():
        with port.proxy.inject(stall, is_ready, times=1):
            await port.backup("a")
            assert (await port.ended("a"))["phase"] == "Completed"
        stall.release()
        for name in NAMES[1:]:
            await port.backup(name)
            assert (await port.ended(name))["phase"] == "Completed"
    assert collector.begun == NAMES
    assert "backup lost" not in caplog.messages


async def test_others_get_their_places_when_one_has_started(tmp_path: Path) -> None:
    """With a clock that stands still they would wait for ever if nobody told that it runs."""
    collector = Collector(gate=asyncio.Event())
    async with quay(Server(tmp_path, clock=FakeClock(), collect=collector)) as port:
        for name in NAMES:
            await port.backup(name)
        async with phases(port) as seen, port.running():
            await port.until("d", lambda one: one.get("status", {}).get("queuePosition") == 3)
            await eventually(lambda: len(seen) >= len(NAMES) + 1)
        assert seen[:2] == ["a ReadyToStart", "a InProgress"]
        assert sorted(seen[2:]) == ["b Queued", "c Queued", "d Queued"]
