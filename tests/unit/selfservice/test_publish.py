"""The first in the line hear of their positions at once, the others now and then, and all do."""

from hypothesis import given
from hypothesis import strategies as st

from kedge.selfservice.publish import Line, Publishing
from kedge.selfservice.queue import Member, Queue, Standing


def member(number: int, standing: Standing = Standing.WAITING) -> Member:
    return Member(f"n{number}", f"u{number}", standing, "2030-01-01T00:00:00Z", str(number))


def line(count: int, first: int = 3, period: float = 5.0) -> Line:
    made = Line(Queue(), Publishing(first, period))
    for number in range(count):
        made.put(member(number))
    made.take(-100.0)
    return made


def finish(made: Line, number: int) -> None:
    made.put(member(number, Standing.DONE))


def test_who_comes_last_moves_nobody() -> None:
    made = line(5)
    made.put(member(9))
    assert made.wait_seconds(0) is None
    assert made.take(0) == []


def test_a_first_change_is_told_to_all_at_once() -> None:
    made = line(6)
    finish(made, 0)
    assert made.wait_seconds(0) == 0
    assert made.take(0) == ["n1", "n2", "n3", "n4", "n5"]
    assert made.wait_seconds(0) is None


def test_a_second_change_is_told_to_the_first_at_once_and_to_the_rest_later() -> None:
    made = line(8)
    finish(made, 0)
    made.take(0)
    finish(made, 1)
    assert made.wait_seconds(1) == 0
    assert made.take(1) == ["n2", "n3", "n4"]
    finish(made, 2)
    assert made.take(2) == ["n3", "n4", "n5"]
    assert made.wait_seconds(2) == 3
    assert made.take(4) == []
    assert made.take(5) == ["n6", "n7"]
    assert made.wait_seconds(5) is None


def test_only_those_behind_a_gap_are_told() -> None:
    made = line(8)
    made.remove("n5")
    assert made.take(0) == ["n6", "n7"]


def test_a_short_line_never_waits() -> None:
    made = line(4)
    for number in range(3):
        finish(made, number)
        assert made.wait_seconds(0) == 0
        made.take(0)
        assert made.wait_seconds(0) is None


def test_who_runs_and_who_is_done_is_always_told_at_once() -> None:
    made = line(8)
    made.put(member(0, Standing.RUNNING))
    assert made.is_first("n0")
    assert made.is_first("n1")
    assert not made.is_first("n7")
    assert made.is_first("nobody")


def test_a_restart_of_the_server_is_told_to_all() -> None:
    made = Line(Queue(by_name=True), Publishing(1, 5))
    for number in (2, 1):
        made.put(member(number))
    made.take(0)
    made.restarted("2030-01-02T00:00:00Z")
    assert made.take(9) == ["n1", "n2"]


STEPS = st.lists(
    st.tuples(st.integers(0, 11), st.sampled_from([*Standing, None]), st.booleans()),
    max_size=60,
)


@given(STEPS, st.integers(1, 4), st.sampled_from([0.0, 1.0, 5.0]))
def test_in_the_end_everybody_has_been_told_the_truth(
    steps: list[tuple[int, Standing | None, bool]], first: int, period: float
) -> None:
    made = Line(Queue(), Publishing(first, period))
    told: dict[str, int | None] = {}
    now = 0.0
    for number, standing, is_told in steps:
        name = f"n{number}"
        if standing is None:
            made.remove(name)
        else:
            made.put(member(number, standing))
        told[name] = made.position(name)  # an object's own change is its own event
        now += 1
        if is_told:
            told |= {one: made.position(one) for one in made.take(now)}
            for one in made.queue.names(0, first):
                assert told[one] == made.position(one)
    while (wait := made.wait_seconds(now)) is not None:
        now += wait
        told |= {one: made.position(one) for one in made.take(now)}
    assert told == {one: made.position(one) for one in told}
