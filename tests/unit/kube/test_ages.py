from datetime import UTC, datetime, timedelta

import pytest

from kedge.kube.ages import human_duration, short_duration, since
from tests.unit.kube.recorded import rows

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(("seconds", "told"), rows("ages"))
def test_a_duration_is_told_as_kubernetes_tells_it(seconds: float, told: str) -> None:
    assert human_duration(timedelta(seconds=seconds)) == told


def test_a_duration_beyond_64_bits_of_nanoseconds_is_cut() -> None:
    assert human_duration(timedelta(days=365 * 2000)) == "292y"


@pytest.mark.parametrize(
    ("when", "told"),
    [
        pytest.param(None, "<unknown>", id="not there"),
        pytest.param("", "<unknown>", id="empty"),
        pytest.param("2024-05-01T11:54:30Z", "5m30s", id="to the second"),
        pytest.param("2024-05-01T11:59:58.500001Z", "1s", id="to the microsecond"),
        pytest.param("2024-05-01T12:00:01Z", "0s", id="clocks differ a little"),
        pytest.param("2024-05-01T12:00:10Z", "<invalid>", id="yet to come"),
        pytest.param("0000-01-01T00:00:00Z", "292y", id="before Python's first year"),
    ],
)
def test_the_age_of_a_time_is_relative_to_now(when: str | None, told: str) -> None:
    assert since(when, NOW) == told


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "0s"),
        (59, "59s"),
        (60, "1m"),
        (3599, "59m"),
        (3600, "1h"),
        (86399, "23h"),
        (86400, "1d"),
        (365 * 86400 - 1, "364d"),
        (365 * 86400, "1y"),
        (10**11, "292y"),
    ],
)
def test_the_short_form_has_one_unit(seconds: int, told: str) -> None:
    assert short_duration(timedelta(seconds=seconds)) == told
