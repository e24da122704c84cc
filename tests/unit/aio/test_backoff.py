from hypothesis import given
from hypothesis import strategies as st

from kedge.aio.backoff import Backoff


def test_delays_double_up_to_the_bound() -> None:
    backoff = Backoff(first=0.5, most=3.0, jitter=0.0)
    assert [backoff.delay(failures) for failures in range(1, 6)] == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_jitter_makes_a_delay_longer_by_a_share_of_it() -> None:
    drawn = iter([0.0, 0.5, 1.0])
    backoff = Backoff(first=2.0, most=9.0, jitter=0.5, draw=lambda: next(drawn))
    assert [backoff.delay(1) for _ in range(3)] == [2.0, 2.5, 3.0]


@given(st.integers(1, 10**9))
def test_a_delay_is_within_its_bounds_after_any_number_of_failures(failures: int) -> None:
    backoff = Backoff()
    assert backoff.first <= backoff.delay(failures) <= backoff.most * (1 + backoff.jitter)
