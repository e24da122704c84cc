"""`str(schedule)` is the shortest text: an exact search over all lists of pieces agrees."""

from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kedge.cron import parse
from tests.cron_oracle.reading import Reading, month_length, read
from tests.cron_oracle.settings import examples
from tests.cron_oracle.shortest import TooLarge, shortest_length
from tests.cron_oracle.strategies import expressions

BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
TEMPLATES = ("{} 0 * * *", "0 {} * * *", "0 0 {} * *", "0 0 1 {} *", "0 0 * * {}")


def length_of(place: int, values: frozenset[int]) -> int:
    """Give the length of the field that `str` writes for values in one of the five places."""
    text = TEMPLATES[place].format(",".join(map(str, sorted(values))))
    return len(str(parse(text)).split()[place])


@st.composite
def value_sets(draw: st.DrawFn, low: int, high: int) -> frozenset[int]:
    """Draw values, some of them in rows and steps."""
    found: set[int] = set()
    for _ in range(draw(st.integers(1, 3))):
        first, last = sorted([draw(st.integers(low, high)), draw(st.integers(low, high))])
        found.update(range(first, last + 1, draw(st.sampled_from([1, 1, 2, 3, 5, 7, 10, 15, 60]))))
    return frozenset(found)


@examples(200)
@given(data=st.data())
def test_a_field_is_as_short_as_it_can_be(data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(range(5)))
    values = data.draw(value_sets(*BOUNDS[place]))
    try:
        shortest = shortest_length(values, *BOUNDS[place])
    except TooLarge:
        assume(False)
    assert length_of(place, values) <= shortest


@pytest.mark.parametrize("count", range(1, 8))
def test_all_sets_of_weekdays_are_as_short_as_they_can_be(count: int) -> None:
    for some in combinations(range(7), count):
        assert length_of(4, frozenset(some)) <= shortest_length(frozenset(some), 0, 6), some


@pytest.mark.parametrize("day", [28, 29, 30, 31])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 9, 11])
def test_months_without_the_day_do_not_count(day: int, count: int) -> None:
    free = frozenset(month for month in range(1, 13) if month_length(month) < day)
    for some in list(combinations(range(1, 13), count))[::7]:
        needed = frozenset(some) - free
        if needed:
            text = str(parse(f"0 0 {day} {','.join(map(str, some))} *"))
            assert len(text.split()[3]) <= shortest_length(needed, 1, 12, free), (some, text)


def free_values(reading: Reading) -> tuple[frozenset[int], frozenset[int]]:
    """Say which days and months could be added or dropped without any run changing."""
    longest = max(month_length(month) for month in reading.month.values)
    days = frozenset(range(longest + 1, 32))
    if reading.weekday.star:
        shortest = min(reading.day.values)
        months = frozenset(m for m in range(1, 13) if month_length(m) < shortest)
    else:
        months = frozenset()
    return days, months


@pytest.mark.slow
@examples(60)
@given(text=expressions)
def test_no_field_of_the_text_can_be_written_shorter(text: str) -> None:
    fields = str(parse(text)).split()
    reading = read(" ".join(fields))
    days, months = free_values(reading)
    free = (frozenset[int](), frozenset[int](), days, months, frozenset[int]())
    parts = (reading.minute, reading.hour, reading.day, reading.month, reading.weekday)
    for field, part, spare, bounds in zip(fields, parts, free, BOUNDS, strict=True):
        try:
            shortest = shortest_length(part.values - spare, *bounds, spare)
        except (TooLarge, ValueError):
            continue
        assert len(field) <= shortest, (field, fields)
