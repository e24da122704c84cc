import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from kedge.aio.background import background
from kedge.aio.backoff import Backoff
from kedge.aio.turn import turn
from kedge.runtime.key import Key
from kedge.runtime.queue import LOOK_SECONDS, Closed, Queue, QueueSettings
from kedge.testing import FakeClock

A, B, C = (Key("sea", name) for name in "abc")
SETTINGS = QueueSettings(Backoff(first=1.0, most=60.0, jitter=0.0))


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


class Bench:
    """A queue in virtual time."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.queue = Queue(self.clock, SETTINGS)

    async def pass_time(self, by: timedelta) -> None:
        """Let time pass, and the queue notice."""
        self.clock.advance(by)
        await settle()

    def taken(self) -> list[Key]:
        """Take and give back all keys that can be had now."""
        keys = []
        while (key := take(self.queue)) is not None:
            keys.append(key)
        for key in keys:
            self.queue.done(key)
        return keys


def take(queue: Queue) -> Key | None:
    """Take a key, if one can be had without waiting."""
    getting = queue.get()
    try:
        getting.send(None)
    except StopIteration as found:
        key: Key = found.value
        return key
    getting.close()
    return None


async def settle() -> None:
    """Let all that is ready run."""
    for _ in range(20):
        await turn()


@asynccontextmanager
async def running() -> AsyncIterator[Bench]:
    bench = Bench()
    async with background(bench.queue.run()):
        await settle()
        yield bench


@pytest.mark.asyncio
async def test_a_key_is_queued_once_however_often_it_is_added() -> None:
    bench = Bench()
    for _ in range(3):
        bench.queue.add(A)
    assert len(bench.queue) == 1
    assert bench.taken() == [A]


@pytest.mark.asyncio
async def test_keys_come_in_the_order_in_which_they_were_added() -> None:
    bench = Bench()
    for key in (B, A, C, A):
        bench.queue.add(key)
    assert bench.taken() == [B, A, C]


@pytest.mark.asyncio
async def test_a_key_is_never_handed_out_twice_at_once() -> None:
    queue = Bench().queue
    queue.add(A)
    assert take(queue) == A
    queue.add(A)
    assert take(queue) is None
    assert list(queue.processing) == [A]


@pytest.mark.asyncio
async def test_a_key_that_changes_while_it_is_worked_on_comes_again_when_that_is_done() -> None:
    queue = Bench().queue
    queue.add(A)
    take(queue)
    queue.add(A)
    queue.add(A)
    assert len(queue) == 0
    queue.done(A)
    assert take(queue) == A
    queue.done(A)
    assert take(queue) is None


@pytest.mark.asyncio
async def test_a_key_that_does_not_change_does_not_come_again() -> None:
    queue = Bench().queue
    queue.add(A)
    take(queue)
    queue.done(A)
    assert take(queue) is None


@pytest.mark.asyncio
async def test_whoever_waits_gets_a_key_as_soon_as_there_is_one() -> None:
    queue = Bench().queue
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        getters = [group.create_task(queue.get()) for _ in range(3)]
        await settle()
        for key in (A, B, C):
            queue.add(key)
    assert [getter.result() for getter in getters] == [A, B, C]


@pytest.mark.asyncio
async def test_of_two_delays_the_earlier_wins() -> None:
    async with running() as bench:
        bench.queue.add_after(A, 10)
        bench.queue.add_after(A, 5)
        bench.queue.add_after(A, 20)
        await settle()
        await bench.pass_time(seconds(4.9))
        assert bench.taken() == []
        await bench.pass_time(seconds(0.1))
        assert bench.taken() == [A]
        await bench.pass_time(seconds(100))
        assert bench.taken() == []


@pytest.mark.asyncio
async def test_of_two_instants_the_earlier_wins() -> None:
    async with running() as bench:
        now = bench.clock.now()
        for after in (10, 5, 20):
            bench.queue.add_at(A, now + seconds(after))
        await settle()
        await bench.pass_time(seconds(4.9))
        assert bench.taken() == []
        await bench.pass_time(seconds(0.1))
        assert bench.taken() == [A]
        await bench.pass_time(seconds(100))
        assert bench.taken() == []


@pytest.mark.asyncio
@pytest.mark.parametrize(("after", "at"), [(5, 10), (10, 5)])
async def test_of_a_delay_and_an_instant_the_earlier_wins(after: int, at: int) -> None:
    async with running() as bench:
        bench.queue.add_after(A, after)
        bench.queue.add_at(A, bench.clock.now() + seconds(at))
        await settle()
        await bench.pass_time(seconds(5))
        assert bench.taken() == [A]
        await bench.pass_time(seconds(100))
        assert bench.taken() == []


@pytest.mark.asyncio
async def test_a_sooner_key_wakes_a_queue_that_sleeps_for_a_later_one() -> None:
    async with running() as bench:
        bench.queue.add_after(A, 1000)
        await settle()
        bench.queue.add_after(B, 1)
        bench.queue.add_at(C, bench.clock.now() + seconds(2))
        await settle()
        await bench.pass_time(seconds(1))
        assert bench.taken() == [B]
        await bench.pass_time(seconds(1))
        assert bench.taken() == [C]


@pytest.mark.asyncio
async def test_a_key_that_is_taken_forgets_its_delays() -> None:
    async with running() as bench:
        bench.queue.add_after(A, 10)
        bench.queue.add_at(A, bench.clock.now() + seconds(20))
        assert bench.queue.delayed == 2
        bench.queue.add(A)
        assert bench.taken() == [A]
        assert bench.queue.delayed == 0
        await bench.pass_time(seconds(100))
        assert bench.taken() == []


@pytest.mark.asyncio
async def test_a_delay_that_is_asked_for_while_a_key_is_worked_on_counts() -> None:
    async with running() as bench:
        bench.queue.add(A)
        take(bench.queue)
        bench.queue.add_after(A, 5)
        await settle()
        await bench.pass_time(seconds(5))
        assert take(bench.queue) is None
        bench.queue.done(A)
        assert bench.taken() == [A]


@pytest.mark.asyncio
@pytest.mark.parametrize("delay", [0, -1, -1e9])
async def test_what_is_due_already_is_queued_at_once(delay: float) -> None:
    bench = Bench()
    bench.queue.add_after(A, delay)
    bench.queue.add_at(B, bench.clock.now() + seconds(delay))
    assert bench.taken() == [A, B]


@pytest.mark.asyncio
async def test_instants_of_any_zone_and_of_the_end_of_time_are_fine() -> None:
    async with running() as bench:
        zone = datetime.fromisoformat("2030-01-01T02:00:05+02:00")
        bench.queue.add_at(A, zone)
        bench.queue.add_at(B, datetime.max.replace(tzinfo=UTC))
        await settle()
        await bench.pass_time(seconds(5))
        assert bench.taken() == [A]


@pytest.mark.asyncio
async def test_a_higher_priority_comes_first() -> None:
    bench = Bench()
    bench.queue.add(A, -100)
    bench.queue.add(B, -100)
    bench.queue.add(C)
    assert bench.taken() == [C, A, B]


@pytest.mark.asyncio
async def test_a_priority_is_raised_and_never_lowered() -> None:
    bench = Bench()
    bench.queue.add(A, -100)
    bench.queue.add(B, -100)
    bench.queue.add(B, 5)
    bench.queue.add(B, -200)
    assert len(bench.queue) == 2
    assert bench.taken() == [B, A]
    assert bench.taken() == []


@pytest.mark.asyncio
async def test_a_priority_that_is_raised_while_a_key_is_worked_on_counts_afterwards() -> None:
    bench = Bench()
    bench.queue.add(A)
    take(bench.queue)
    bench.queue.add(A, -100)
    bench.queue.add(A, 7)
    bench.queue.add(B, 3)
    bench.queue.done(A)
    assert bench.taken() == [A, B]


@pytest.mark.asyncio
async def test_each_key_backs_off_by_itself_until_it_is_forgiven() -> None:
    queue = Bench().queue
    assert [queue.add_failed(A) for _ in range(4)] == [1.0, 2.0, 4.0, 8.0]
    assert queue.add_failed(B) == 1.0
    queue.forget(A)
    queue.forget(C)
    assert queue.add_failed(A) == 1.0
    assert queue.add_failed(B) == 2.0


@pytest.mark.asyncio
async def test_a_key_that_failed_very_often_waits_no_longer_than_the_bound() -> None:
    queue = Bench().queue
    assert [queue.add_failed(A) for _ in range(5000)][-1] == 60.0


@pytest.mark.asyncio
async def test_a_failed_key_comes_again_after_its_delay() -> None:
    async with running() as bench:
        bench.queue.add_failed(A)
        await settle()
        await bench.pass_time(seconds(1))
        assert bench.taken() == [A]


@pytest.mark.asyncio
async def test_a_wall_clock_that_is_set_forward_is_noticed_soon() -> None:
    async with running() as bench:
        bench.queue.add_at(A, bench.clock.now() + timedelta(hours=1))
        await settle()
        bench.clock.set_back(-timedelta(hours=2))
        await bench.pass_time(seconds(LOOK_SECONDS))
        assert bench.taken() == [A]


@pytest.mark.asyncio
async def test_a_wall_clock_that_is_set_back_puts_instants_off_but_not_delays() -> None:
    async with running() as bench:
        bench.queue.add_at(A, bench.clock.now() + seconds(20))
        bench.queue.add_after(B, 20)
        await settle()
        bench.clock.set_back(seconds(100))
        await bench.pass_time(seconds(20))
        assert bench.taken() == [B]
        for _ in range(3):
            await bench.pass_time(seconds(30))
            assert bench.taken() == []
        await bench.pass_time(seconds(10))
        assert bench.taken() == [A]


@pytest.mark.asyncio
async def test_a_delay_that_is_no_number_is_refused() -> None:
    queue = Bench().queue
    with pytest.raises(ValueError, match="sea/a"):
        queue.add_after(A, float("nan"))
    assert queue.delayed == 0


@pytest.mark.asyncio
async def test_a_queue_of_keys_that_are_due_later_sleeps() -> None:
    async with running() as bench:
        for number in range(1000):
            bench.queue.add_after(Key("sea", str(number)), 3600 + number)
        await settle()
        assert bench.clock.delays == [3600.0]


@pytest.mark.asyncio
async def test_a_queue_with_nothing_due_does_not_even_look_at_the_clock() -> None:
    async with running() as bench:
        assert bench.clock.delays == []


@pytest.mark.asyncio
async def test_a_closed_queue_hands_out_nothing() -> None:
    queue = Bench().queue
    queue.add(A)
    queue.close()
    with pytest.raises(Closed):
        await queue.get()


@pytest.mark.asyncio
async def test_closing_wakes_all_who_wait() -> None:
    queue = Bench().queue
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        getters = [group.create_task(closed(queue)) for _ in range(3)]
        await settle()
        queue.close()
    assert [getter.result() for getter in getters] == [True] * 3


async def closed(queue: Queue) -> bool:
    try:
        await queue.get()
    except Closed:
        return True
    return False


@pytest.mark.asyncio
async def test_a_key_can_be_given_back_to_a_closed_queue() -> None:
    queue = Bench().queue
    queue.add(A)
    take(queue)
    queue.add(A)
    queue.close()
    queue.done(A)
    assert not queue.processing


@pytest.mark.asyncio
async def test_a_cancelled_getter_loses_no_key() -> None:
    queue = Bench().queue
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        first = group.create_task(queue.get())
        second = group.create_task(queue.get())
        await settle()
        queue.add(A)
        # The key is meant for the first, which is not there any more when its turn comes.
        first.cancel()
    assert second.result() == A


@pytest.mark.asyncio
async def test_a_getter_that_was_cancelled_before_is_passed_over() -> None:
    queue = Bench().queue
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        first = group.create_task(queue.get())
        second = group.create_task(queue.get())
        await settle()
        first.cancel()
        await settle()
        queue.add(A)
    assert second.result() == A


@pytest.mark.asyncio
async def test_giving_back_what_was_not_taken_is_an_error() -> None:
    with pytest.raises(KeyError):
        Bench().queue.done(A)


class Heard:
    """Writes down what a queue reports."""

    def __init__(self) -> None:
        self.lines: list[tuple[object, ...]] = []
        self.running: Callable[[], Iterable[float]] = tuple

    def added(self, depth: int) -> None:
        self.lines.append(("added", depth))

    def taken(self, depth: int, waited_seconds: float) -> None:
        self.lines.append(("taken", depth, waited_seconds))

    def done(self, worked_seconds: float) -> None:
        self.lines.append(("done", worked_seconds))

    def retried(self) -> None:
        self.lines.append(("retried",))


@pytest.mark.asyncio
async def test_the_life_of_a_key_is_reported() -> None:
    heard, clock = Heard(), FakeClock()
    queue = Queue(clock, SETTINGS, heard)
    queue.add(A)
    queue.add(A)
    clock.advance(seconds(2))
    take(queue)
    queue.add(A)
    clock.advance(seconds(3))
    assert list(heard.running()) == [3.0]
    queue.add_failed(A)
    queue.done(A)
    assert list(heard.running()) == []
    assert heard.lines == [
        ("added", 1),
        ("taken", 0, 2.0),
        ("retried",),
        ("done", 3.0),
        ("added", 1),
    ]
