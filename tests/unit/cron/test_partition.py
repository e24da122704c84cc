import random

import pytest

from kedge.cron.days import MONTH_FULL
from kedge.cron.grid import fewer_boxes
from kedge.cron.partition import smaller_partition


@pytest.mark.parametrize(
    ("parts", "fewer_than", "expected"),
    [
        pytest.param([0b1, 0b10, 0b11], 2, [0b11], id="one part is enough"),
        pytest.param([0b1, 0b10, 0b100, 0b110], 3, [0b1, 0b110], id="two parts"),
        pytest.param([0b011, 0b110, 0b1, 0b100], 3, [0b011, 0b100], id="parts may not overlap"),
        pytest.param([0b1, 0b10, 0b11], 1, None, id="not fewer than asked for"),
        pytest.param([0b011, 0b110], 3, None, id="a cover with overlap is none"),
        pytest.param([], 3, [], id="nothing"),
    ],
)
def test_the_fewest_disjoint_parts_are_found(
    parts: list[int], fewer_than: int, expected: list[int] | None
) -> None:
    found = smaller_partition(parts, fewer_than)
    assert (found and sorted(found)) == (expected and sorted(expected))


def test_a_search_that_takes_too_long_is_given_up() -> None:
    parts = [0b0011, 0b1100, 0b0110, 0b1, 0b1000]
    assert smaller_partition(parts, 4, steps=100) == [0b0011, 0b1100]
    assert smaller_partition(parts, 4, steps=1) is None


def test_a_search_is_given_up_by_what_it_looks_at() -> None:
    """Few turns may take long, where each of them has very many parts to choose from."""
    last = 199
    pairs = [1 | 1 << other for other in range(1, last + 1)]
    rest = (1 << last) - 2
    assert smaller_partition([*pairs, rest], 3) == [pairs[-1], rest]
    assert smaller_partition([*pairs, rest], 3, steps=last) is None


def test_a_grid_that_is_too_fine_is_left_alone() -> None:
    """Days without any order in every month: more rules than can be tried."""
    dice = random.Random(1)
    pattern = tuple((dice.getrandbits(31) << 1 & MONTH_FULL[month], 0) for month in range(1, 13))
    assert fewer_boxes({pattern: 1}, 12) is None


def test_a_grid_with_too_many_boxes_is_left_alone() -> None:
    """Each hour has minutes of its own, and all of them together."""
    full = tuple((MONTH_FULL[month], 0) for month in range(1, 13))
    minutes = [sum(1 << n for n in range(hour % 12 + 1)) for hour in range(24)]
    times = sum(mask << 60 * hour for hour, mask in enumerate(minutes))
    assert fewer_boxes({full: times}, 12) is None
