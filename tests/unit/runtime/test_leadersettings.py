from typing import Any

import pytest

from kedge.runtime.leadersettings import LeaderSettings, unique_identity

GOOD: dict[str, Any] = {"name": "boat", "namespace": "sea", "identity": "me"}


def test_the_defaults_are_those_of_kubernetes() -> None:
    settings = LeaderSettings(**GOOD)
    times = (settings.lease_seconds, settings.renew_seconds, settings.retry_seconds)
    assert times == (15, 10.0, 2.0)
    assert settings.margin_seconds == 5.0


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"lease_seconds": 10}, r"lease_seconds \(10\) must be greater than renew_seconds"),
        ({"lease_seconds": 9}, "lease_seconds"),
        ({"lease_seconds": 15.5}, "lease_seconds must be whole"),
        ({"lease_seconds": True}, "lease_seconds must be whole"),
        ({"lease_seconds": 2**31}, "lease_seconds"),
        ({"renew_seconds": 2.4}, r"renew_seconds \(2.4\) must be greater than 1.2"),
        ({"renew_seconds": 0}, "renew_seconds must be greater than zero"),
        ({"renew_seconds": float("nan")}, "renew_seconds"),
        ({"retry_seconds": 0}, "retry_seconds must be greater than zero"),
        ({"retry_seconds": -1}, "retry_seconds"),
        ({"identity": ""}, "identity"),
        ({"name": ""}, "name"),
        ({"name": "Boat"}, "name 'Boat'"),
        ({"name": "a/b"}, "name 'a/b'"),
        ({"namespace": ""}, "namespace"),
        ({"namespace": "a.b"}, "namespace 'a.b'"),
        ({"namespace": "a" * 64}, "namespace"),
    ],
)
def test_what_can_not_work_is_refused_by_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        LeaderSettings(**GOOD | change)


def test_no_two_processes_have_one_identity() -> None:
    assert unique_identity() != unique_identity()
