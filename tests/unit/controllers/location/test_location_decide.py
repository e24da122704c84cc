"""When a location is looked at, what is written then, and who is the default."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kedge.api.velero.storage_location import BackupStorageLocation
from kedge.controllers.location.decide import (
    change_of_status,
    last_look,
    newer_default,
    plan,
    secrets_of,
)

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def location(
    name: str = "default", created: str = "2030-01-01T00:00:00Z", **parts: Any
) -> BackupStorageLocation:
    """Make a location."""
    meta = {"name": name, "creationTimestamp": created}
    return msgspec.convert({"metadata": meta, **parts}, BackupStorageLocation)


def seen(frequency: str | None = None, phase: str = "Available") -> BackupStorageLocation:
    """Make a location that was looked at."""
    spec = {} if frequency is None else {"validationFrequency": frequency}
    return location(spec=spec, status={"phase": phase})


@pytest.mark.parametrize(
    ("frequency", "last", "is_due"),
    [
        pytest.param(None, None, True, id="never looked at"),
        pytest.param("0s", None, True, id="never looked at, and only once"),
        pytest.param(None, NOW - MINUTE, True, id="exactly now"),
        pytest.param(None, NOW - MINUTE + timedelta(seconds=1), False, id="a second too early"),
        pytest.param("5m", NOW - MINUTE, False, id="its own time is longer"),
        pytest.param("5s", NOW - timedelta(seconds=5), True, id="its own time is shorter"),
        pytest.param("0s", NOW - timedelta(days=9), False, id="only once"),
        pytest.param("0", NOW - timedelta(days=9), False, id="only once, without a unit"),
        pytest.param("-1h", NOW - MINUTE, True, id="a negative one is as none"),
        pytest.param("2562047h47m16.8s", NOW, False, id="longer than there are years"),
    ],
)
def test_a_look_is_due(frequency: str | None, last: datetime | None, is_due: bool) -> None:
    assert plan(seen(frequency), last, MINUTE, NOW).is_due is is_due


def test_a_location_without_a_phase_is_due() -> None:
    assert plan(seen(phase=""), NOW, MINUTE, NOW).is_due


@pytest.mark.parametrize(
    ("frequency", "default", "following"),
    [
        (None, MINUTE, NOW + MINUTE),
        ("90s", MINUTE, NOW + timedelta(seconds=90)),
        ("0s", MINUTE, None),
        (None, timedelta(0), None),
        ("-1s", timedelta(0), None),
        ("2562047h47m16.8s", MINUTE, datetime(2322, 4, 13, 11, 47, 16, 800000, UTC)),
    ],
)
def test_the_next_look(
    frequency: str | None, default: timedelta, following: datetime | None
) -> None:
    assert plan(seen(frequency), NOW, default, NOW).next(NOW) == following


def test_a_look_beyond_the_last_year_is_never() -> None:
    last = datetime(9999, 12, 31, tzinfo=UTC)
    assert plan(seen("9000h"), last, MINUTE, NOW).next(last) is None


def test_a_frequency_that_can_not_be_read_is_told_and_the_default_holds() -> None:
    wanted = plan(seen("soon"), NOW - MINUTE, MINUTE, NOW)
    assert wanted.is_due
    assert wanted.period == MINUTE
    assert "spec.validationFrequency" in wanted.wrong


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (None, None),
        ("nonsense", None),
        ("2030-01-01T11:59:00Z", NOW - MINUTE),
        ("2030-01-01T12:00:00Z", NOW),
        ("2030-01-01T12:00:01Z", None),
    ],
)
def test_what_says_to_be_of_the_future_tells_nothing(
    text: str | None, known: datetime | None
) -> None:
    assert last_look(location(status={"lastValidationTime": text}), NOW) == known


def test_the_status_says_no_more_than_what_is_new() -> None:
    old = location(status={"phase": "Available", "lastValidationTime": "2030-01-01T11:00:00Z"})
    assert change_of_status(old, "", NOW) == {"lastValidationTime": "2030-01-01T12:00:00Z"}
    assert change_of_status(old, "gone", NOW) == {
        "phase": "Unavailable",
        "message": "gone",
        "lastValidationTime": "2030-01-01T12:00:00Z",
    }
    bad = location(status={"phase": "Unavailable", "message": "gone"})
    assert change_of_status(bad, "", NOW)["message"] is None
    assert "message" not in change_of_status(bad, "gone", NOW)
    same = location(status={"phase": "Available", "lastValidationTime": "2030-01-01T12:00:00Z"})
    assert change_of_status(same, "", NOW) == {}


def default(name: str, created: str) -> BackupStorageLocation:
    """Make a default location."""
    return location(name, created, spec={"default": True})


def test_a_default_gives_way_to_the_newest_one() -> None:
    old, new = default("a", "2029-01-01T00:00:00Z"), default("b", "2029-06-01T00:00:00Z")
    assert newer_default(old, [old, new]) == "b"
    assert newer_default(new, [old, new]) is None
    assert newer_default(old, [old]) is None
    plain = location("c", "2029-12-01T00:00:00Z")
    assert newer_default(old, [old, plain]) is None
    twin = default("c", "2029-06-01T00:00:00Z")
    assert newer_default(twin, [old, new, twin]) == "b"
    assert newer_default(new, [old, new, twin]) is None


def test_all_secrets_are_known() -> None:
    spec = location(
        spec={
            "credential": {"name": "keys", "key": "cloud"},
            "objectStorage": {"bucket": "b", "caCertRef": {"name": "ca", "key": "crt"}},
            "config": {"customerKeyEncryptionSecret": "customer/key"},
        }
    ).spec
    assert secrets_of(spec) == ["ca", "customer", "keys"]
    assert secrets_of(location().spec) == []
