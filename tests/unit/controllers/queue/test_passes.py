"""Places are written at once where they are few, and now and then where they are many."""

from datetime import timedelta

from kedge.controllers.queue.decide import Place
from kedge.controllers.queue.passes import PER_SECOND, REST_SECONDS, SHORT, Passes
from kedge.testing import FakeClock


def places(count: int) -> list[Place]:
    return [Place(("velero", str(n)), n) for n in range(1, count + 1)]


def drain(passes: Passes, moves: list[Place]) -> int:
    written = 0
    while taken := passes.take(moves, 5):
        written += len(taken)
        if not passes.is_under_way:
            break
    return written


def test_few_are_written_each_time() -> None:
    passes = Passes(FakeClock())
    for _ in range(5):
        assert drain(passes, places(SHORT)) == SHORT


def test_many_are_written_after_a_while_and_then_not_for_a_while() -> None:
    clock = FakeClock()
    passes = Passes(clock)
    assert drain(passes, places(1000)) == 0
    assert passes.wait_seconds(places(1000)) == 1000 / PER_SECOND
    clock.advance(timedelta(seconds=1000 / PER_SECOND))
    assert drain(passes, places(999)) == 999
    assert drain(passes, places(998)) == 0
    clock.advance(timedelta(seconds=998 / PER_SECOND))
    assert drain(passes, places(998)) == 998


def test_a_long_queue_that_moves_fast_is_written_when_it_has_become_short() -> None:
    passes = Passes(FakeClock())
    written = sum(drain(passes, places(length)) for length in range(1000, 0, -1))
    assert written == sum(range(SHORT + 1))


def test_a_queue_that_is_hardly_long_is_not_written_all_the_time() -> None:
    passes = Passes(FakeClock())
    assert passes.wait_seconds(places(SHORT + 1)) == REST_SECONDS


def test_the_last_few_need_not_wait_for_the_many_before_them() -> None:
    passes = Passes(FakeClock())
    assert drain(passes, places(1000)) == 0
    assert passes.wait_seconds(places(SHORT)) == 0
    assert drain(passes, places(SHORT)) == SHORT


def test_a_pass_goes_on_with_the_places_it_began_with() -> None:
    clock = FakeClock()
    passes = Passes(clock)
    assert passes.take(places(50), 5) == []
    clock.advance(timedelta(seconds=REST_SECONDS))
    assert [place.position for place in passes.take(places(50), 5)] == [1, 2, 3, 4, 5]
    assert [place.position for place in passes.take(places(3), 5)] == [6, 7, 8, 9, 10]


def test_nothing_to_move_is_nothing_to_wait_for() -> None:
    passes = Passes(FakeClock())
    assert passes.wait_seconds([]) is None
    assert passes.take([], 5) == []
