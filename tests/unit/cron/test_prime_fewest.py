"""A static plan has the fewest expressions there can be: an exact search agrees."""

from collections import Counter
from datetime import timedelta

from cron_oracle.cover import TooLarge, fewest
from cron_oracle.plans import demand
from cron_oracle.reading import read
from cron_oracle.settings import examples
from cron_oracle.strategies import leads, tidy_expressions
from hypothesis import example, given
from hypothesis import strategies as st

from kedge.cron import CronError, parse, prime

MINUTE = timedelta(minutes=1)
MOST = 6
near = st.one_of(leads, leads, st.integers(1, 3000))


@examples(70)
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


def test_static_plans_have_as_few_expressions_as_possible() -> None:
    counts: Counter[str] = Counter()
    judge(counts)
    assert counts["proven"] > 4 * counts["too large"], counts
