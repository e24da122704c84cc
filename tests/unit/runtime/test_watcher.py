import asyncio
import logging
from dataclasses import replace
from datetime import timedelta

import pytest

from kedge.aio.background import background
from kedge.aio.turn import turn
from kedge.client import BadAnswer, Disconnected, Selection, Unreachable
from kedge.client.decoders import Event
from kedge.client.lines import Failed, Unreadable
from kedge.client.responses import Misfit
from kedge.kube.errors import (
    ApiError,
    BadRequest,
    Expired,
    Forbidden,
    Gone,
    InternalError,
    Invalid,
    NotFound,
    TooManyRequests,
)
from kedge.kube.meta import ObjectMeta, Partial
from kedge.runtime.outputs import Output
from kedge.runtime.watcher import Initial, Paging, Resume, Start, Tailing, Watcher, WatchSettings
from kedge.testing import FakeClock
from tests.unit.runtime.peers import (
    BOAT,
    END,
    SETTINGS,
    QuickClock,
    Raw,
    Script,
    added,
    boat,
    bookmark,
    deleted,
    event,
    failed,
    listed,
    modified,
    told,
)

STREAMING = replace(SETTINGS, streaming=True)


class Bench:
    """A watcher at a scripted server, and all that it told."""

    def __init__(self, script: Script, settings: WatchSettings = SETTINGS) -> None:
        self.script = script
        self.clock = QuickClock()
        self.watcher = Watcher(script, BOAT, Selection(), settings, self.clock)
        self.told: list[str] = []

    async def steps(self, count: int) -> list[str]:
        """Step so often; give what was told meanwhile."""
        before = len(self.told)
        async with asyncio.timeout(5):
            for _ in range(count):
                self.told += told(await self.watcher.step())
        return self.told[before:]

    async def until_asked(self, count: int) -> None:
        """Step until the server was asked so often."""
        while len(self.script.asked) < count:
            await self.steps(1)


async def tailing(*watches: object, settings: WatchSettings = SETTINGS) -> Bench:
    """Make a watcher that has read a list of version 5 and opened the first watch."""
    bench = Bench(Script(listed(5, boat("a", 3)), *watches), settings)
    assert await bench.steps(2) == ["restarted", "ADDED a 3", "synced"]
    assert isinstance(bench.watcher.state, Tailing)
    return bench


@pytest.mark.asyncio
async def test_a_list_of_one_page_is_complete_and_the_watch_goes_on_from_its_version() -> None:
    bench = Bench(Script(listed(5, boat("a", 3), boat("b", 4)), []))
    assert await bench.steps(1) == ["restarted", "ADDED a 3", "ADDED b 4", "synced"]
    assert bench.watcher.state == Resume("5")
    assert await bench.steps(1) == []
    assert bench.script.asked == ["list 2", "watch 5"]


@pytest.mark.asyncio
async def test_the_pages_of_a_list_are_read_one_per_step() -> None:
    pages = listed(5, boat("a", 1), token="more"), listed(5, boat("b", 2), token="last"), listed(5)
    bench = Bench(Script(*pages))
    assert await bench.steps(1) == ["restarted", "ADDED a 1"]
    assert bench.watcher.state == Paging("more")
    assert await bench.steps(1) == ["ADDED b 2"]
    assert await bench.steps(1) == ["synced"]
    assert bench.script.asked == ["list 2", "list 2 more", "list 2 last"]


@pytest.mark.asyncio
async def test_an_empty_collection_is_complete_too() -> None:
    assert await Bench(Script(listed(5))).steps(1) == ["restarted", "synced"]


@pytest.mark.asyncio
async def test_a_page_that_fails_begins_the_list_anew() -> None:
    bench = Bench(Script(listed(5, boat("a", 1), token="t"), Disconnected("cut"), listed(6)))
    await bench.steps(2)
    assert isinstance(bench.watcher.state, Start)
    assert await bench.steps(1) == ["restarted", "synced"]
    assert bench.clock.naps == [1.0]


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [Expired, Gone])
async def test_a_list_that_expires_between_its_pages_is_read_in_one(error: type[ApiError]) -> None:
    first = listed(5, boat("a", 1), token="t")
    bench = Bench(Script(first, error("too old"), listed(7, boat("b", 6)), error("x"), first))
    assert await bench.steps(3) == ["restarted", "ADDED a 1", "restarted", "ADDED b 6", "synced"]
    assert bench.script.asked == ["list 2", "list 2 t", "list 0"]
    await bench.until_asked(5)
    assert bench.script.asked[-1] == "list 2"


@pytest.mark.asyncio
async def test_events_are_told_in_their_order_and_move_the_version() -> None:
    bench = await tailing([[modified("a", 6), added("b", 7)], [deleted("a", 9)]])
    assert await bench.steps(1) == ["MODIFIED a 6", "ADDED b 7"]
    assert bench.watcher.state.version == "7"  # type: ignore[union-attr]
    assert await bench.steps(1) == ["DELETED a 9"]


@pytest.mark.asyncio
async def test_a_watch_that_the_server_ends_is_resumed_at_once_from_the_last_version() -> None:
    bench = await tailing([[modified("a", 6)], END], [])
    await bench.steps(3)
    assert bench.script.asked[-1] == "watch 6"
    assert bench.clock.naps == []
    assert bench.script.opened == 1


@pytest.mark.asyncio
async def test_a_watch_that_breaks_off_is_resumed_after_a_while_from_the_last_version() -> None:
    bench = await tailing([[modified("a", 6)], Disconnected("cut")], [])
    await bench.steps(3)
    assert bench.script.asked == ["list 2", "watch 5", "watch 6"]
    assert bench.clock.naps == [1.0]


@pytest.mark.asyncio
async def test_bookmarks_move_the_version_and_nothing_is_told() -> None:
    bench = await tailing([[bookmark(8)], [modified("a", 9), bookmark(12)], END], [])
    assert await bench.steps(4) == ["MODIFIED a 9"]
    assert bench.script.asked[-1] == "watch 12"


@pytest.mark.asyncio
async def test_a_server_that_can_not_be_reached_is_asked_ever_more_seldom() -> None:
    bench = Bench(Script(*[Unreachable("down")] * 6, listed(5)))
    await bench.steps(7)
    assert bench.clock.naps == [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    assert bench.told == ["restarted", "synced"]


@pytest.mark.asyncio
async def test_an_event_makes_up_for_the_failures_before_it() -> None:
    cuts = [Disconnected("cut")] * 3
    bench = await tailing(cuts[:1], *cuts[1:], [[modified("a", 6)], Disconnected("cut")], [])
    await bench.until_asked(6)
    assert bench.clock.naps == [1.0, 2.0, 4.0, 1.0]


@pytest.mark.asyncio
async def test_a_list_alone_does_not_make_up_for_failures() -> None:
    answers = [listed(5), Expired("old"), listed(5), Expired("old"), listed(5), Expired("old")]
    bench = Bench(Script(*answers, listed(5)))
    await bench.until_asked(7)
    assert bench.clock.naps == [1.0, 2.0, 4.0]


@pytest.mark.asyncio
async def test_a_watch_that_held_for_long_makes_up_for_failures() -> None:
    bench = Bench(Script(listed(5), Unreachable("1"), Unreachable("2"), [Disconnected("3")], []))
    await bench.until_asked(4)
    bench.clock.advance(timedelta(minutes=2))
    await bench.until_asked(5)
    assert bench.clock.naps == [1.0, 2.0, 1.0]


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [Expired, Gone])
async def test_an_expired_version_begins_a_new_list_at_once(error: type[ApiError]) -> None:
    bench = await tailing([[modified("a", 6)], END], error("too old"), listed(20), [])
    bench.clock.advance(timedelta(minutes=5))
    await bench.steps(3)
    assert isinstance(bench.watcher.state, Start)
    assert await bench.steps(2) == ["restarted", "synced"]
    assert bench.script.asked[-2:] == ["list 2", "watch 20"]
    assert bench.clock.naps == []


@pytest.mark.asyncio
async def test_an_expired_version_told_as_an_event_begins_a_new_list() -> None:
    bench = await tailing([[failed(Expired("too old"))]], listed(20, boat("b", 15)), [])
    assert await bench.steps(2) == ["restarted", "ADDED b 15", "synced"]
    assert bench.script.asked == ["list 2", "watch 5", "list 2"]


@pytest.mark.asyncio
async def test_a_list_that_expires_is_tried_again() -> None:
    bench = Bench(Script(Expired("old"), Expired("old"), Expired("old"), listed(5)))
    assert await bench.steps(4) == ["restarted", "synced"]
    assert bench.clock.naps == [2.0, 4.0]


@pytest.mark.asyncio
async def test_an_error_instead_of_an_event_begins_a_new_list() -> None:
    # From the same version the server would stumble over the same event.
    bench = await tailing([[modified("a", 6), failed(InternalError("x"))]], listed(7), [])
    assert await bench.steps(2) == ["restarted", "synced"]
    assert bench.clock.naps == [1.0]


@pytest.mark.asyncio
async def test_an_error_with_nonsense_in_it_is_survived() -> None:
    bench = await tailing([[Failed({"reason": {"a": 1}, "code": "x"})]], listed(7), [])
    assert await bench.steps(2) == ["restarted", "synced"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "error",
    [TooManyRequests("slow"), InternalError("x"), Unreachable("down"), Disconnected("cut")],
    ids=lambda one: type(one).__name__,
)
async def test_a_watch_that_can_not_be_opened_is_tried_from_the_same_version(
    error: Exception,
) -> None:
    bench = await tailing([END], error, error, [])
    await bench.until_asked(4)
    await bench.steps(1)
    assert bench.script.asked[1:] == ["watch 5"] * 4
    assert bench.clock.naps == [1.0, 2.0, 4.0]


@pytest.mark.asyncio
async def test_a_watch_that_ends_at_once_again_and_again_does_not_spin() -> None:
    bench = await tailing(*[[END]] * 6)
    await bench.until_asked(7)
    assert bench.clock.naps == [1.0, 2.0, 4.0, 8.0, 8.0]


@pytest.mark.asyncio
async def test_a_watch_that_repeats_itself_and_ends_does_not_spin() -> None:
    bench = await tailing(*[[[bookmark(5)], END]] * 5)
    await bench.until_asked(6)
    assert bench.clock.naps == [1.0, 2.0, 4.0, 8.0]


@pytest.mark.asyncio
async def test_a_server_that_knows_no_version_any_more_is_not_asked_in_a_loop() -> None:
    # Each watch brings something new, and then the server says that it is too old.
    answers: list[object] = []
    for version in range(6, 16, 2):
        answers += [[[bookmark(version)], [failed(Expired("old"))]], listed(version + 1)]
    bench = await tailing(*answers, [])
    await bench.until_asked(12)
    assert bench.clock.naps == [1.0] * 5


@pytest.mark.asyncio
async def test_a_list_older_than_what_was_seen_is_refused_and_finally_accepted() -> None:
    lists = [listed(6, boat("z", 1))] * 6
    bench = await tailing([[modified("a", 9)], [failed(Expired("old"))]], *lists, [])
    await bench.steps(2)
    assert await bench.steps(5) == []
    assert await bench.steps(2) == ["restarted", "ADDED z 1", "synced"]
    assert bench.script.asked[-1] == "watch 6"


@pytest.mark.asyncio
async def test_a_stale_list_is_followed_by_a_fresh_one() -> None:
    bench = await tailing(
        [[modified("a", 9)], [failed(Expired("old"))]], listed(8), listed(10), Expired("old")
    )
    await bench.steps(2)
    assert await bench.steps(1) == []
    assert await bench.steps(1) == ["restarted", "synced"]


@pytest.mark.asyncio
async def test_versions_are_compared_as_numbers() -> None:
    bench = await tailing([[modified("a", 9)], [failed(Expired("old"))]], listed(10), [])
    assert await bench.steps(3) == ["MODIFIED a 9", "restarted", "synced"]


@pytest.mark.asyncio
@pytest.mark.parametrize("version", ["abc", "", "²", "9" * 5000, "-1"])
async def test_versions_that_are_no_numbers_are_taken_as_they_are(version: str) -> None:
    bench = await tailing([[modified("a", version)], [failed(Expired("old"))]], listed(version), [])
    assert (await bench.steps(3))[-2:] == ["restarted", "synced"]


@pytest.mark.asyncio
async def test_events_from_before_the_watch_tell_that_the_server_has_gone_back() -> None:
    # A store that was restored from a backup: what is known is not what is there.
    bench = await tailing([[modified("a", 4)]], *[listed(4, boat("a", 4))] * 6, [])
    assert (await bench.steps(8)) == ["restarted", "ADDED a 4", "synced"]


@pytest.mark.asyncio
async def test_all_there_is_may_come_as_events() -> None:
    stream = [[added("a", 3)], [added("b", 4), bookmark(5, is_end=True)], [modified("a", 6)], END]
    bench = Bench(Script(stream, []), STREAMING)
    assert await bench.steps(1) == ["restarted"]
    assert isinstance(bench.watcher.state, Initial)
    assert await bench.steps(1) == ["ADDED a 3"]
    assert await bench.steps(1) == ["ADDED b 4", "synced"]
    assert await bench.steps(1) == ["MODIFIED a 6"]
    await bench.steps(2)
    assert bench.script.asked == ["stream", "watch 6"]


@pytest.mark.asyncio
async def test_changes_that_follow_the_initial_events_in_one_piece_are_not_lost() -> None:
    batch = [added("a", 3), bookmark(5, is_end=True), modified("a", 6), deleted("a", 7)]
    bench = Bench(Script([batch, END], []), STREAMING)
    assert await bench.steps(2) == [
        "restarted",
        "ADDED a 3",
        "MODIFIED a 6",
        "DELETED a 7",
        "synced",
    ]
    await bench.steps(2)
    assert bench.script.asked[-1] == "watch 7"


@pytest.mark.asyncio
@pytest.mark.parametrize("refusal", [Invalid("sendInitialEvents"), BadRequest("what?")])
async def test_a_server_that_can_not_stream_is_asked_for_a_list(refusal: ApiError) -> None:
    bench = Bench(Script(refusal, listed(5), Expired("old"), listed(6)), STREAMING)
    assert await bench.steps(2) == ["restarted", "synced"]
    await bench.steps(2)
    assert bench.script.asked == ["stream", "list 2", "watch 5", "list 2"]


@pytest.mark.asyncio
async def test_a_server_that_never_ends_the_initial_events_is_asked_for_a_list() -> None:
    bench = Bench(Script([[added("a", 3)], END], listed(5)), STREAMING)
    await bench.steps(3)
    assert await bench.steps(1) == ["restarted", "synced"]
    assert bench.script.asked == ["stream", "list 2"]


@pytest.mark.asyncio
async def test_initial_events_that_break_off_begin_anew() -> None:
    stream = [[added("a", 3)], Disconnected("cut")]
    whole = [[added("b", 4), bookmark(5, is_end=True)]]
    bench = Bench(Script(stream, stream, whole), STREAMING)
    await bench.until_asked(3)
    assert await bench.steps(1) == ["ADDED b 4", "synced"]
    assert bench.told.count("restarted") == 3
    assert bench.clock.naps == [1.0, 2.0]


@pytest.mark.asyncio
async def test_stale_initial_events_are_refused() -> None:
    fresh = [[added("a", 3), bookmark(9, is_end=True)], [failed(Expired("old"))]]
    stale = [[bookmark(5, is_end=True)]]
    bench = Bench(Script(fresh, stale, [[bookmark(10, is_end=True)]]), STREAMING)
    await bench.steps(7)
    assert bench.told == ["restarted", "ADDED a 3", "synced", "restarted", "restarted", "synced"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "garbage",
    [
        pytest.param(BadAnswer("a line is no event"), id="no event"),
        pytest.param([event("SURPRISE", boat("a", 6))], id="unknown type"),
        pytest.param([Event("MODIFIED", Raw(b'{"metadata":7}'))], id="no metadata"),
        pytest.param([Event("MODIFIED", Raw(b"nonsense"))], id="no JSON"),
        pytest.param([event("BOOKMARK", [])], id="bookmark of nothing"),
        pytest.param([event("ERROR", {"code": 410})], id="an error in the midst"),
        pytest.param(RecursionError("too deep"), id="too deep"),
        pytest.param(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no text"), id="no text"),
    ],
)
async def test_garbage_begins_a_new_list_after_a_while(garbage: object) -> None:
    bench = await tailing([garbage], listed(9, boat("a", 7)), [])
    assert await bench.steps(2) == ["restarted", "ADDED a 7", "synced"]
    assert bench.clock.naps == [1.0]
    assert bench.script.opened == 0


@pytest.mark.asyncio
async def test_what_nobody_thought_of_is_logged_with_its_trace(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = await tailing([RecursionError("too deep")], listed(9))
    await bench.steps(2)
    (record,) = [one for one in caplog.records if one.exc_info]
    assert record.getMessage() == "the watch met what was not expected"


@pytest.mark.asyncio
@pytest.mark.parametrize("refusal", [NotFound("no such resource"), Forbidden("you may not")])
async def test_a_kind_that_is_not_there_yet_is_waited_for(refusal: ApiError) -> None:
    bench = Bench(Script(*[refusal] * 10, listed(5, boat("a", 3)), []))
    await bench.until_asked(12)
    assert bench.told == ["restarted", "ADDED a 3", "synced"]


@pytest.mark.asyncio
async def test_the_first_failure_is_told_quietly_and_what_lasts_as_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    await Bench(Script(Unreachable("down " * 100), Unreachable("down"), listed(5))).steps(3)
    first, second = caplog.records
    assert (first.levelno, second.levelno) == (logging.INFO, logging.WARNING)
    assert first.__dict__["kind"] == "configmaps"
    assert len(first.__dict__["error"]) <= 257


@pytest.mark.asyncio
async def test_a_watch_that_falls_silent_is_cut_and_resumed() -> None:
    script = Script(listed(5), [[bookmark(6)]], [[bookmark(7)]])
    clock = FakeClock()
    watcher = Watcher(script, BOAT, Selection(), SETTINGS, clock)
    outputs: list[Output] = []
    async with background(watcher.run(outputs.append), watcher.watchdog.run()):
        await clock.slept(lambda delays: delays == [310.0])
        clock.advance(timedelta(seconds=309))
        assert script.asked == ["list 2", "watch 5"]
        clock.advance(timedelta(seconds=1))
        await clock.slept(lambda delays: delays == [1.0])
        assert script.opened == 0
        clock.advance(timedelta(seconds=1))
        await clock.slept(lambda delays: delays == [310.0])
        assert script.asked == ["list 2", "watch 5", "watch 6"]
    assert script.opened == 0


@pytest.mark.asyncio
async def test_a_cancelled_watcher_closes_its_watch() -> None:
    script = Script(listed(5), [])
    watcher = Watcher(script, BOAT, Selection(), SETTINGS, FakeClock())
    async with background(watcher.run(lambda _: None)):
        async with asyncio.timeout(5):
            while script.opened == 0:
                await turn()
    assert script.opened == 0


def test_the_settings_leave_the_server_time_to_end_a_watch_before_it_counts_as_dead() -> None:
    settings = WatchSettings()
    assert settings.watch_seconds < settings.silence_seconds


ABYSS = Misfit(Partial(metadata=ObjectMeta(name="abyss", resource_version="8")), "too deep")


@pytest.mark.asyncio
async def test_an_object_that_can_not_be_read_is_taken_for_one_that_is_not_there() -> None:
    bench = await tailing([[Unreadable("MODIFIED", ABYSS)], [modified("a", 9)]])
    assert await bench.steps(2) == ["DELETED abyss 8", "MODIFIED a 9"]


@pytest.mark.asyncio
async def test_an_object_that_can_not_be_read_is_left_out_of_a_list(
    caplog: pytest.LogCaptureFixture,
) -> None:
    page = replace(listed(5, boat("a", 3)), misfits=(ABYSS,))
    bench = Bench(Script(page))
    assert await bench.steps(1) == ["restarted", "ADDED a 3", "synced"]
    assert [record.__dict__["object"] for record in caplog.records] == ["/abyss"]
