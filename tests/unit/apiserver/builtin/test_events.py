"""Events are one kind in two forms, kept in the older one."""

import pytest

from kedge.apiserver.builtin.events import EventStrategy, NewEventStrategy
from kedge.apiserver.resource import Object

OLD, NEW = EventStrategy(), NewEventStrategy()
METADATA = {"name": "a", "namespace": "default"}
STORED: Object = {
    "kind": "Event",
    "apiVersion": "v1",
    "metadata": METADATA,
    "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p"},
    "reason": "Started",
    "message": "it runs",
    "source": {"component": "kubelet", "host": "n"},
    "firstTimestamp": "2026-01-01T00:00:00Z",
    "lastTimestamp": "2026-01-01T00:00:01Z",
    "count": 3,
    "type": "Normal",
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}
SHOWN: Object = {
    "kind": "Event",
    "apiVersion": "events.k8s.io/v1",
    "metadata": METADATA,
    "eventTime": None,
    "reason": "Started",
    "regarding": {"kind": "Pod", "namespace": "default", "name": "p"},
    "note": "it runs",
    "type": "Normal",
    "deprecatedSource": {"component": "kubelet", "host": "n"},
    "deprecatedFirstTimestamp": "2026-01-01T00:00:00Z",
    "deprecatedLastTimestamp": "2026-01-01T00:00:01Z",
    "deprecatedCount": 3,
}


def test_a_stored_event_is_shown_in_the_new_form() -> None:
    assert NEW.from_storage(STORED) == SHOWN


def test_a_new_event_is_stored_in_the_old_form() -> None:
    assert NEW.to_storage(SHOWN) == STORED


def test_the_old_form_is_stored_as_it_is() -> None:
    assert OLD.to_storage(STORED) is STORED


def test_an_event_with_little_in_it_has_what_go_writes_even_then() -> None:
    bare = {"kind": "Event", "apiVersion": "v1", "metadata": METADATA, "involvedObject": {}}
    assert NEW.from_storage(bare) == {
        "kind": "Event",
        "apiVersion": "events.k8s.io/v1",
        "metadata": METADATA,
        "eventTime": None,
        "regarding": {},
        "deprecatedSource": {},
        "deprecatedFirstTimestamp": None,
        "deprecatedLastTimestamp": None,
    }


def test_a_series_without_count_has_one_of_zero_in_the_new_form() -> None:
    series = NEW.from_storage({**STORED, "series": {}})["series"]
    assert series == {"count": 0, "lastObservedTime": None}
    assert NEW.to_storage({**SHOWN, "series": series})["series"] == {"lastObservedTime": None}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("involvedObject.name", "p"),
        ("involvedObject.uid", None),
        ("reason", "Started"),
        ("type", "Normal"),
        ("source", "kubelet"),
        ("reportingComponent", ""),
    ],
)
def test_the_old_form_is_selected_by_its_fields(path: str, value: str | None) -> None:
    assert OLD.select(STORED, path) == value


def test_the_source_is_the_reporter_where_there_is_no_component() -> None:
    event = {**STORED, "source": {}, "reportingComponent": "scheduler"}
    assert OLD.select(event, "source") == "scheduler"


@pytest.mark.parametrize(
    ("path", "value"),
    [("regarding.name", "p"), ("regarding.kind", "Pod"), ("reportingController", "me")],
)
def test_the_new_form_is_selected_from_what_is_stored(path: str, value: str) -> None:
    assert NEW.select({**STORED, "reportingComponent": "me"}, path) == value
