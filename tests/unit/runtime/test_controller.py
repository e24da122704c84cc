import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import cast

import pytest

from kedge.aio.background import background
from kedge.aio.backoff import Backoff
from kedge.client import Disconnected
from kedge.kube.errors import Conflict, Forbidden, NotFound
from kedge.runtime.controller import AWAIT_CHANGE, Controller, Reconcile, Result, Terminal
from kedge.runtime.key import Key
from kedge.runtime.queue import Queue, QueueSettings
from kedge.testing import FakeClock
from tests.unit.runtime.test_queue import settle

A, B = Key("sea", "a"), Key("sea", "b")
SETTINGS = QueueSettings(Backoff(first=1.0, most=60.0, jitter=0.0))


class Heard:
    """Writes down what a controller reports."""

    def __init__(self) -> None:
        self.running = 0
        self.ends: list[tuple[str, float]] = []

    def started(self) -> None:
        self.running += 1

    def ended(self, result: str, seconds: float) -> None:
        self.running -= 1
        self.ends.append((result, seconds))


class Bench:
    """A controller in virtual time, whose reconcile does as a test says."""

    def __init__(self, reconcile: Reconcile, workers: int) -> None:
        self.clock = FakeClock()
        self.queue = Queue(self.clock, SETTINGS)
        self.heard = Heard()
        self.calls: list[Key] = []
        self.do = reconcile
        self.controller = Controller(
            "bench", self.reconcile, self.queue, self.clock, workers, self.heard
        )

    async def reconcile(self, key: Key) -> Result:
        self.calls.append(key)
        return await self.do(key)

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, and all do what follows."""
        await settle()
        self.clock.advance(timedelta(seconds=seconds))
        await settle()


@asynccontextmanager
async def running(reconcile: Reconcile, workers: int = 1) -> AsyncIterator[Bench]:
    bench = Bench(reconcile, workers)
    async with background(bench.queue.run(), bench.controller.run()):
        yield bench


def raising(exc: BaseException) -> Reconcile:
    async def reconcile(_key: Key) -> Result:
        raise exc

    return reconcile


def giving(result: Result) -> Reconcile:
    async def reconcile(_key: Key) -> Result:
        return result

    return reconcile


@pytest.mark.asyncio
async def test_each_key_is_reconciled_once_for_many_changes() -> None:
    async with running(giving(AWAIT_CHANGE)) as bench:
        for key in (A, B, A, A):
            bench.queue.add(key)
        await bench.pass_time(1e6)
        assert bench.calls == [A, B]
        assert bench.heard.ends == [("success", 0.0)] * 2


@pytest.mark.asyncio
async def test_a_key_is_never_reconciled_twice_at_once_though_workers_are_idle() -> None:
    at_work: list[Key] = []
    most = 0

    async def reconcile(key: Key) -> Result:
        nonlocal most
        assert key not in at_work
        at_work.append(key)
        most = max(most, len(at_work))
        await bench.clock.sleep(1)
        at_work.remove(key)
        return AWAIT_CHANGE

    async with running(reconcile, workers=4) as bench:
        for _ in range(5):
            bench.queue.add(A)
            bench.queue.add(B)
            await bench.pass_time(0.4)
        await bench.pass_time(1)
        await bench.pass_time(1)
        assert not at_work
        assert most == 2
        assert bench.calls.count(A) == bench.calls.count(B) == 3


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [Conflict("moved on"), NotFound("gone")])
async def test_a_conflict_is_tried_again_quietly(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(raising(error)) as bench:
        bench.queue.add(A)
        await bench.pass_time(1)
        await bench.pass_time(2)
        assert bench.calls == [A] * 3
        assert [result for result, _ in bench.heard.ends] == ["requeue"] * 3
    assert [one for one in caplog.records if one.levelno > logging.DEBUG] == []


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [Forbidden("no"), Disconnected("cut")])
async def test_what_a_server_refuses_is_told_without_a_trace_and_tried_again(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(raising(error)) as bench:
        bench.queue.add(A)
        await settle()
        (record,) = caplog.records
        assert (record.levelno, record.exc_info) == (logging.WARNING, None)
        await bench.pass_time(1)
        assert bench.calls == [A] * 2


@pytest.mark.asyncio
async def test_a_fault_is_logged_once_each_time_and_tried_again_ever_later(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running(raising(ZeroDivisionError("oops"))) as bench:
        bench.queue.add(A)
        for seconds in (1, 2, 4):
            await bench.pass_time(seconds - 0.001)
            before = len(bench.calls)
            await bench.pass_time(0.001)
            assert len(bench.calls) == before + 1
    assert len(caplog.records) == 4
    assert all(one.exc_info for one in caplog.records)


@pytest.mark.asyncio
async def test_a_success_forgives_the_failures_before_it() -> None:
    async with running(raising(ZeroDivisionError())) as bench:
        bench.queue.add(A)
        await bench.pass_time(1)
        await bench.pass_time(2)
        bench.do = giving(AWAIT_CHANGE)
        await bench.pass_time(4)
        bench.do = raising(ZeroDivisionError())
        bench.queue.add(A)
        await bench.pass_time(1)
        assert len(bench.calls) == 6


@pytest.mark.asyncio
async def test_what_fails_for_good_is_not_tried_again_until_something_changes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running(raising(Terminal("never"))) as bench:
        bench.queue.add(A)
        await bench.pass_time(1e6)
        assert bench.calls == [A]
        assert bench.heard.ends[0][0] == "terminal"
        bench.queue.add(A)
        await settle()
        assert bench.calls == [A, A]
    assert [one.levelno for one in caplog.records] == [logging.ERROR] * 2


@pytest.mark.asyncio
async def test_a_result_names_the_instant_to_look_again() -> None:
    async with running(giving(AWAIT_CHANGE)) as bench:
        bench.do = giving(Result(wake=bench.clock.now() + timedelta(hours=1)))
        bench.queue.add(A)
        await settle()
        assert bench.heard.ends[0][0] == "requeue_after"
        bench.do = giving(AWAIT_CHANGE)
        for _ in range(119):
            await bench.pass_time(30)
        assert bench.calls == [A]
        await bench.pass_time(30)
        assert bench.calls == [A, A]


@pytest.mark.asyncio
async def test_a_result_names_the_seconds_after_which_to_look_again() -> None:
    async with running(giving(Result(after_seconds=60))) as bench:
        bench.queue.add(A)
        for _ in range(3):
            await bench.pass_time(60)
        assert bench.calls == [A] * 4


@pytest.mark.asyncio
async def test_of_an_instant_and_seconds_the_earlier_counts() -> None:
    async with running(giving(AWAIT_CHANGE)) as bench:
        at = bench.clock.now() + timedelta(seconds=20)
        bench.do = giving(Result(wake=at, after_seconds=10))
        bench.queue.add(A)
        await settle()
        bench.do = giving(AWAIT_CHANGE)
        await bench.pass_time(10)
        assert bench.calls == [A, A]
        await bench.pass_time(100)
        assert bench.calls == [A, A]


def nothing() -> Reconcile:
    async def reconcile(_key: Key) -> None:
        return None

    return cast("Callable[[Key], Awaitable[Result]]", reconcile)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(nothing(), id="no result"),
        pytest.param(giving(Result(wake=datetime(2031, 1, 1))), id="no time zone"),  # noqa: DTZ001
        pytest.param(raising(asyncio.CancelledError()), id="cancelled from within"),
        pytest.param(raising(TimeoutError()), id="late"),
        pytest.param(raising(ExceptionGroup("many", [ValueError()])), id="group"),
        pytest.param(raising(StopIteration()), id="stop"),
    ],
)
async def test_a_worker_survives_everything(bad: Reconcile) -> None:
    async with running(bad) as bench:
        bench.queue.add(A)
        await bench.pass_time(1)
        await bench.pass_time(2)
        assert bench.calls == [A] * 3
        bench.do = giving(AWAIT_CHANGE)
        bench.queue.add(B)
        await settle()
        assert bench.calls[-1] == B
        assert bench.heard.running == 0


@pytest.mark.asyncio
async def test_a_cancelled_controller_gives_its_key_back() -> None:
    started = asyncio.Event()

    async def reconcile(_key: Key) -> Result:
        started.set()
        await asyncio.Event().wait()
        return AWAIT_CHANGE

    async with running(reconcile) as bench:
        bench.queue.add(A)
        async with asyncio.timeout(5):
            await started.wait()
        assert list(bench.queue.processing) == [A]
    assert not bench.queue.processing
    assert [result for result, _ in bench.heard.ends] == ["error"]


@pytest.mark.asyncio
async def test_a_closed_queue_ends_the_controller_after_what_is_under_way() -> None:
    bench = Bench(giving(AWAIT_CHANGE), workers=3)

    async def slowly(_key: Key) -> Result:
        await bench.clock.sleep(5)
        return AWAIT_CHANGE

    bench.do = slowly
    async with asyncio.TaskGroup() as group:
        task = group.create_task(bench.controller.run())
        bench.queue.add(A)
        await settle()
        bench.queue.close()
        await settle()
        assert not task.done()
        bench.clock.advance(timedelta(seconds=5))
    assert bench.heard.ends == [("success", 5.0)]


def test_a_controller_without_workers_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one worker"):
        Controller("idle", giving(AWAIT_CHANGE), Queue(FakeClock()), FakeClock(), workers=0)


@pytest.mark.asyncio
async def test_a_controller_ends_though_a_group_hides_that_it_was_cancelled() -> None:
    begun = asyncio.Event()

    async def fail_when_cancelled() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise Disconnected("the server is gone")

    async def reconcile(key: Key) -> Result:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail_when_cancelled())
        return AWAIT_CHANGE

    bench = Bench(reconcile, 1)
    async with asyncio.timeout(10):
        async with background(bench.controller.run()):
            bench.queue.add(A)
            await begun.wait()
    assert not bench.queue.processing
    assert bench.calls == [A]


@pytest.mark.asyncio
async def test_a_controller_goes_on_after_a_group_of_which_some_failed() -> None:
    async def fail() -> None:
        raise Disconnected("the server is gone")

    async def in_groups(key: Key) -> Result:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            group.create_task(fail())
        return AWAIT_CHANGE

    async with running(in_groups) as bench:
        bench.queue.add(A)
        await bench.pass_time(0)
        await bench.pass_time(1)
        await bench.pass_time(2)
        assert bench.calls == [A, A, A]
