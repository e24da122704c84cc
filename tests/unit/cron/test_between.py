"""`between` against the oracle, and its laziness."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from kedge.cron import Schedule, parse
from tests.cron_oracle.reading import read
from tests.cron_oracle.runs import runs
from tests.cron_oracle.settings import examples
from tests.cron_oracle.strategies import cases

Case = tuple[str, str, str, datetime]
lengths = st.one_of(
    st.timedeltas(timedelta(), timedelta(hours=6)), st.timedeltas(timedelta(), timedelta(days=3))
)


def chain(schedule: Schedule, start: datetime, end: datetime) -> Iterator[datetime]:
    """Walk from start to end with `next` alone."""
    answer = schedule.next(start - timedelta(microseconds=1))
    while answer is not None and answer < end:
        yield answer
        answer = schedule.next(answer)


def chain_back(schedule: Schedule, start: datetime, end: datetime) -> Iterator[datetime]:
    """Walk from end to start with `prev` alone."""
    answer = schedule.prev(end)
    while answer is not None and answer >= start:
        yield answer
        answer = schedule.prev(answer)


@examples(100)
@given(case=cases(), length=lengths)
def test_between_holds_exactly_the_runs_the_oracle_finds(case: Case, length: timedelta) -> None:
    text, zone, dst, start = case
    found = list(parse(text, zone=zone, dst=dst).between(start, start + length))
    assert found == runs(read(text, zone), start, start + length, dst)


@examples(75)
@given(case=cases(), length=lengths)
def test_between_is_the_chain_of_next_and_of_prev(case: Case, length: timedelta) -> None:
    text, zone, dst, start = case
    schedule, end = parse(text, zone=zone, dst=dst), start + length
    found = list(schedule.between(start, end))
    assert found == list(chain(schedule, start, end))
    assert found[::-1] == list(chain_back(schedule, start, end))


@examples(30)
@given(case=cases(), days=st.integers(100, 2000))
def test_long_between_is_the_chain_of_next(case: Case, days: int) -> None:
    text, zone, dst, start = case
    schedule = parse(text, zone=zone, dst=dst)
    end = start + timedelta(days=days)
    assert list(islice(schedule.between(start, end), 300)) == list(
        islice(chain(schedule, start, end), 300)
    )


def test_between_takes_the_start_and_leaves_the_end() -> None:
    schedule = parse("0 * * * *")
    start, end = datetime(2026, 1, 1, 5, tzinfo=UTC), datetime(2026, 1, 1, 7, tzinfo=UTC)
    assert list(schedule.between(start, end)) == [start, start + timedelta(hours=1)]


def test_between_of_an_empty_or_reversed_window_is_empty() -> None:
    schedule = parse("* * * * *")
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert list(schedule.between(start, start)) == []
    assert list(schedule.between(start, start - timedelta(days=1))) == []


def test_between_gives_its_first_item_without_making_the_others() -> None:
    start, end = datetime(2023, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
    for zone in ("UTC", "Europe/Amsterdam"):
        for dst in ("wall", "once"):
            found = parse("* 5 * * *", zone=zone, dst=dst).between(start, end)
            assert iter(found) is found
            assert len(list(islice(found, 3))) == 3  # all 4 million a century would not come back
