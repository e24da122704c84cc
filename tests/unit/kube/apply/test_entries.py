"""The entries of managedFields."""

from typing import Any

import pytest

from kedge.kube.apply.entries import (
    capped,
    decode,
    errors,
    identity,
    identity_text,
    in_order,
    make,
    seconds,
)


def entry(name: str, time: str | None = None, operation: str = "Update", **more: Any) -> Any:
    version = more.get("version", "v1")
    who = (name, operation, "" if operation == "Apply" else version, more.get("subresource", ""))
    return make(who, version, more.get("fields", {"f:a": {}}), time)


def test_entries_are_sorted_by_operation_second_manager_version_and_subresource() -> None:
    expected = [
        entry("z", operation="Apply"),
        entry("a", "2026-01-01T00:00:00Z", operation="Apply"),
        entry("z"),
        entry("y", "2026-01-01T02:00:00+02:00"),
        entry("x", "2026-01-01T00:00:01Z"),
        entry("x", "2026-01-01T00:00:01Z", subresource="status"),
        entry("x", "2026-01-01T00:00:01Z", version="v2"),
    ]
    assert in_order(reversed(expected)) == expected


def test_an_applier_is_the_same_in_all_versions_and_an_updater_is_not() -> None:
    assert identity(entry("a", operation="Apply")) == identity(
        entry("a", operation="Apply", version="v2")
    )
    assert identity(entry("a")) != identity(entry("a", version="v2"))
    assert identity_text(identity(entry("<a>", subresource="s"))) == (
        '{"manager":"\\u003ca\\u003e","operation":"Update","apiVersion":"v1","subresource":"s"}'
    )


def test_a_time_counts_by_its_second() -> None:
    assert seconds(None) == 0
    assert seconds("1970-01-01T00:00:09.9Z") == 9


def test_decoding_keeps_the_last_entry_of_an_owner() -> None:
    first, last = entry("a"), entry("a", fields={"f:b": {}})
    assert decode([first, last]) == [last]


def test_an_entry_without_a_manager_has_no_such_key() -> None:
    assert "manager" not in decode([{**entry(""), "fieldsV1": None}])[0]


def test_a_bucket_that_is_not_the_oldest_is_lost_as_in_kubernetes() -> None:
    time = "2026-01-01T00:00:00Z"
    entries = [entry(name, time) for name in ("aa", "ancient-changes", *"bcdefghij")]
    managers = [one["manager"] for one in capped(entries)]
    assert managers == ["aa", *"bcdefghij"]


def test_a_bucket_takes_more_entries_in() -> None:
    times = [f"2026-01-01T00:00:{second:02}Z" for second in range(12)]
    old = entry("ancient-changes", times[0], fields={"f:x": {}})
    entries = [old, *(entry(f"m{n}", times[n], fields={f"f:{n}": {}}) for n in range(1, 12))]
    joined = capped(entries)
    assert len(joined) == 10
    assert joined[0] == entry("ancient-changes", times[2], fields={"f:1": {}, "f:2": {}, "f:x": {}})


def test_each_version_has_its_own_bucket() -> None:
    times = [f"2026-01-01T00:00:{second:02}Z" for second in range(12)]
    entries = [entry(f"m{n:02}", times[n], version=f"v{n % 2}") for n in range(12)]
    assert [(one["manager"], one["apiVersion"]) for one in capped(entries)][:2] == [
        ("ancient-changes", "v0"),
        ("ancient-changes", "v1"),
    ]


def test_entries_of_different_versions_are_not_joined_however_many() -> None:
    entries = [entry("m", version=f"v{n:02}") for n in range(12)]
    assert capped(entries) == entries


def test_appliers_are_never_joined() -> None:
    entries = [entry(f"m{n}", operation="Apply") for n in range(12)]
    assert capped(entries) is entries


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            entry("x" * 129),
            "metadata.managedFields[0].manager: Too long: may not be more than 128 bytes",
        ),
        (
            entry("aé\x07"),
            'metadata.managedFields[0].manager: Invalid value: "aé\\a": '
            "invalid character U+0007 (at position 3)",
        ),
        (
            entry("a", subresource="s" * 257),
            "metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes",
        ),
    ],
)
def test_validation_names_what_is_wrong_with_a_users_entries(bad: Any, message: str) -> None:
    assert [str(error) for error in errors([bad])] == [message]
    assert errors([entry("good")]) == []
