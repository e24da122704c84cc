"""A static plan has the fewest expressions there can be: an exact search agrees."""

from collections import Counter
from datetime import timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kedge.cron import CronError, parse, prime
from tests.cron_oracle.cover import TooLarge, fewest
from tests.cron_oracle.plans import demand, fires_exactly
from tests.cron_oracle.reading import read
from tests.cron_oracle.settings import examples
from tests.cron_oracle.strategies import leads, tidy_expressions

MINUTE = timedelta(minutes=1)
MOST = 6
HARD = [  # plans that were once longer than they had to be
    ("0 0,1 30 * 0", 1, 3),
    ("10,36,50 0,1 28,29,30 * 2,3,4", 10, 1),
    ("10,33 5,10 9,31 * 0", 1, 1),
    ("12,18,39 14,17 */10 * 3", 90, 2),
    ("0,30 22-23 30 * */10", 5, 2),
    ("0,30 0 */2 * 4-6", 23, 3),
    ("24 2,21,23 * 7,9 *", 720, 4),
    ("45 0,1 * 4,12 *", 60, 4),
    ("0 0,1 * */10 *", 10, 4),
    ("37 2,3 */2 * *", 158, 3),
    ("0 * * 8,10,11 *", 15, 4),
    ("0,30 * * 8-11 *", 30, 5),
    ("8,26 0,1 */2 * */5", 15, 4),
    ("*/7 0 * 1,7,9 *", 5, 4),
    ("*/10 0 * */3 *", 10, 4),
    ("0 * 1-27 10-11 *", 171, 3),
    ("0,30 0,2,3 * */10 *", 3, 5),
    ("0 * * 6-11 *", 181, 4),
    ("8 0,1 */3 2,10 *", 60, 4),
    ("2 * * 8-12/3 *", 15, 4),
    ("32,33 0,1 27,30,31 2,6,7 *", 78, 4),
    ("0,30 0 * 4,7,12 *", 1450, 6),
]
near = st.one_of(leads, leads, st.integers(1, 3000))


@examples(35)
@given(text=tidy_expressions, lead=near)
@example(text="5,12,48,56 * * * 5", lead=10)
@example(text="0 0 1 1,2,4-12 *", lead=10)
@example(text="0 0 * 6 *", lead=10)
@example(text="0,30 0,12 * * 1", lead=15)
@example(text="0,30 0,23 2-31 * *", lead=15)
@example(text="0,20,40 0-3 13 * 5", lead=30)
def judge(counts: Counter[str], text: str, lead: int) -> None:
    """Compare the length of a plan with the exact minimum; count the cases that are too large."""
    try:
        plan = prime(parse(text), lead * MINUTE)
    except CronError:
        counts["refused"] += 1
        return
    if plan.mode == "rolling" or len(plan.expressions) > MOST:
        counts[plan.mode] += 1
        return
    try:
        least = fewest(demand(read(text), lead), len(plan.expressions))
    except TooLarge:
        counts["too large"] += 1
        return
    counts["proven"] += 1
    assert len(plan.expressions) == least, plan.expressions


@pytest.mark.slow
def test_static_plans_have_as_few_expressions_as_possible() -> None:
    counts: Counter[str] = Counter()
    judge(counts)
    assert counts["proven"] > 4 * counts["too large"], counts


@pytest.mark.parametrize(("text", "lead", "least"), HARD)
def test_hard_plans_have_as_few_expressions_as_possible(text: str, lead: int, least: int) -> None:
    plan = prime(parse(text), lead * MINUTE)
    assert fires_exactly(plan.expressions, read(text), lead) == ""
    assert len(plan.expressions) == least, plan.expressions


def test_the_exact_search_agrees_on_the_hard_plans() -> None:
    for text, lead, least in HARD[::4]:
        assert fewest(demand(read(text), lead), least) == least
