"""Turns: so many at a time, in the order in which they were made."""

from hypothesis import given
from hypothesis import strategies as st

from kedge.controllers.restore.turns import Turns
from kedge.runtime import Key

A, B, C = (Key("n", name) for name in "abc")


def test_only_so_many_have_a_turn() -> None:
    woken: list[Key] = []
    turns = Turns(1, woken.append)
    assert turns.take(A)
    assert not turns.take(B)
    assert not turns.take(C)
    assert woken == []


def test_the_one_that_waited_longest_is_next() -> None:
    woken: list[Key] = []
    turns = Turns(1, woken.append)
    turns.take(A)
    turns.take(B)
    turns.take(C)
    turns.leave(A)
    assert woken == [B]
    assert not turns.take(C)
    assert turns.take(B)
    assert set(woken) == {B}


def test_one_that_waits_no_longer_holds_nobody_up() -> None:
    woken: list[Key] = []
    turns = Turns(1, woken.append)
    turns.take(A)
    turns.take(B)
    turns.take(C)
    turns.leave(A)
    turns.leave(B)
    assert woken == [B, C]
    assert turns.take(C)


def test_a_turn_that_is_given_back_twice_is_one() -> None:
    turns = Turns(1, lambda key: None)
    turns.take(A)
    turns.leave(A)
    turns.leave(A)
    assert turns.take(B)
    assert not turns.take(C)


def test_the_oldest_comes_first_though_others_ask_first() -> None:
    woken: list[Key] = []
    turns = Turns(1, woken.append)
    turns.expect(A, ("2", 9))
    turns.expect(B, ("1", 8))
    turns.expect(C, ("1", 7))
    assert not turns.take(A, ("2", 9))
    assert woken == [C]
    assert turns.take(C, ("1", 70))
    turns.leave(C)
    assert not turns.take(A, ("2", 9))
    assert turns.take(B)


def test_one_that_fails_is_waited_for_when_it_comes_back() -> None:
    woken: list[Key] = []
    turns = Turns(1, woken.append)
    turns.expect(A, ("1", 1))
    turns.expect(B, ("2", 2))
    turns.leave(A)
    assert woken == [B]
    assert turns.take(A, ("1", 1))
    assert not turns.take(B, ("2", 2))


def test_one_that_is_dropped_keeps_the_turn_that_it_has() -> None:
    turns = Turns(1, lambda key: None)
    assert turns.take(A)
    turns.drop(A)
    assert not turns.take(B)
    turns.drop(B)
    turns.leave(A)
    assert turns.take(C)


@given(st.integers(1, 3), st.lists(st.tuples(st.booleans(), st.integers(0, 6)), max_size=60))
def test_whatever_happens_nobody_is_forgotten(limit: int, moves: list[tuple[bool, int]]) -> None:
    queue: list[Key] = []
    turns = Turns(limit, queue.append)
    running: set[Key] = set()
    waiting: set[Key] = set()
    for wants, number in moves:
        key = Key("n", str(number))
        if wants and key not in running:
            if turns.take(key):
                running.add(key)
                waiting.discard(key)
            else:
                waiting.add(key)
        elif not wants:
            turns.leave(key)
            running.discard(key)
            waiting.discard(key)
        while queue:
            woken = queue.pop(0)
            if woken in waiting and turns.take(woken):
                waiting.discard(woken)
                running.add(woken)
        assert len(running) <= limit
        assert not waiting or len(running) == limit
