"""Times of fields."""

from datetime import UTC, datetime

import pytest

from kedge.api.instant import instant_of
from kedge.kube.times import TimeError


@pytest.mark.parametrize("text", [None, ""])
def test_absent_is_no_time(text: str | None) -> None:
    assert instant_of(text) is None


@pytest.mark.parametrize("text", ["2024-05-01T02:30:00Z", "2024-05-01T04:30:00+02:00"])
def test_a_time_is_read_into_utc(text: str) -> None:
    assert instant_of(text) == datetime(2024, 5, 1, 2, 30, tzinfo=UTC)


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(TimeError):
        instant_of("yesterday")
