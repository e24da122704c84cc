"""Places are written at once where they are few, and now and then where they are many."""

from datetime import timedelta

from kedge.controllers.queue.line import Place
from kedge.controllers.queue.passes import PER_SECOND, REST_SECONDS, SHORT, Passes
from kedge.testing import FakeClock


def places(count: int) -> list[Place]:
    return [Place(("velero", str(n)), n) for n in range(1, count + 1)]


def drain(passes: Passes, count: int) -> int:
    """Write so many places if that may begin now; give how many were written."""
    if passes.wait_seconds(count) != 0:
        return 0
    passes.begin(places(count))
    written = 0
    while taken := passes.take(5):
        written += len(taken)
    return written


def test_few_are_written_each_time() -> None:
    passes = Passes(FakeClock())
    for _ in range(5):
        assert drain(passes, SHORT) == SHORT


def test_many_are_written_after_a_while_and_then_not_for_a_while() -> None:
    clock = FakeClock()
    passes = Passes(clock)
    assert drain(passes, 1000) == 0
    assert passes.wait_seconds(1000) == 1000 / PER_SECOND
    clock.advance(timedelta(seconds=1000 / PER_SECOND))
    assert drain(passes, 999) == 999
    assert drain(passes, 998) == 0
    clock.advance(timedelta(seconds=998 / PER_SECOND))
    assert drain(passes, 998) == 998


def test_a_long_queue_that_moves_fast_is_written_when_it_has_become_short() -> None:
    passes = Passes(FakeClock())
    written = sum(drain(passes, length) for length in range(1000, 0, -1))
    assert written == sum(range(SHORT + 1))


def test_a_queue_that_is_hardly_long_is_not_written_all_the_time() -> None:
    passes = Passes(FakeClock())
    assert passes.wait_seconds(SHORT + 1) == REST_SECONDS


def test_the_last_few_need_not_wait_for_the_many_before_them() -> None:
    passes = Passes(FakeClock())
    assert drain(passes, 1000) == 0
    assert passes.wait_seconds(SHORT) == 0
    assert drain(passes, SHORT) == SHORT


def test_a_pass_goes_on_with_the_places_it_began_with() -> None:
    clock = FakeClock()
    passes = Passes(clock)
    assert passes.wait_seconds(50) == REST_SECONDS
    clock.advance(timedelta(seconds=REST_SECONDS))
    assert passes.wait_seconds(50) == 0
    passes.begin(places(7))
    assert [place.position for place in passes.take(5)] == [1, 2, 3, 4, 5]
    assert passes.is_under_way
    assert passes.wait_seconds(3) == 0
    assert [place.position for place in passes.take(5)] == [6, 7]
    assert not passes.is_under_way


def test_nothing_to_move_is_nothing_to_wait_for() -> None:
    passes = Passes(FakeClock())
    assert passes.wait_seconds(0) is None
    assert passes.take(5) == []
