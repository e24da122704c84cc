"""Keys in order know how many are before them, however many there are."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.selfservice.ranked import BLOCK, Ranked

MANY = 9 * BLOCK


def test_many_keys_in_any_order_have_their_ranks() -> None:
    chance = random.Random(7)
    keys = list(range(MANY))
    chance.shuffle(keys)
    ranked: Ranked[int] = Ranked()
    for key in keys:
        ranked.add(key)
    assert len(ranked) == MANY
    assert [ranked.rank(key) for key in range(MANY)] == list(range(MANY))
    chance.shuffle(keys)
    left = sorted(keys[MANY // 3 :])
    for key in keys[: MANY // 3]:
        ranked.remove(key)
    assert list(ranked.between(0, MANY)) == left
    assert [ranked.rank(key) for key in left] == list(range(len(left)))


def test_keys_that_only_come_at_the_end_and_go_at_the_front_keep_their_ranks() -> None:
    ranked: Ranked[int] = Ranked()
    for key in range(MANY):
        assert ranked.add(key) == min(key, 2 * BLOCK)
        if key >= 2 * BLOCK:
            assert ranked.remove(key - 2 * BLOCK) == 0


def test_a_key_that_is_not_there_has_no_rank() -> None:
    ranked: Ranked[int] = Ranked()
    with pytest.raises(KeyError):
        ranked.rank(1)
    ranked.add(2)
    for key in (1, 3):
        with pytest.raises(KeyError):
            ranked.remove(key)
    assert len(ranked) == 1


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=80),
    st.integers(-2, 45),
    st.integers(-2, 45),
)
def test_it_agrees_with_a_sorted_list(
    changes: list[tuple[bool, int]], first: int, last: int
) -> None:
    ranked: Ranked[int] = Ranked()
    plain: list[int] = []
    for is_coming, key in changes:
        if is_coming and key not in plain:
            plain = sorted([*plain, key])
            assert ranked.add(key) == plain.index(key)
        elif not is_coming and key in plain:
            assert ranked.remove(key) == plain.index(key)
            plain.remove(key)
    assert list(ranked.between(first, last)) == plain[max(first, 0) : max(last, 0)]
