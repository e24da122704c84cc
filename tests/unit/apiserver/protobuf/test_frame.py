"""Events of a watch: their length comes first, and all watchers get the same bytes."""

import json

from kedge.apiserver.protobuf.envelope import seal
from kedge.apiserver.protobuf.frame import KEPT_BYTES, frame
from kedge.apiserver.protobuf.wire import delimited


def config_map(size: int) -> dict[str, object]:
    """Make an object of about this size."""
    return {"kind": "ConfigMap", "apiVersion": "v1", "data": {"a": "x" * size}}


def test_an_event_begins_with_its_length() -> None:
    for size in (1, KEPT_BYTES):
        obj = config_map(size)
        event = delimited(1, b"ADDED") + delimited(2, delimited(1, seal(obj)))
        written = frame("ADDED", json.dumps(obj).encode())
        assert written == len(event).to_bytes(4, "big") + event


def test_small_events_are_written_once_for_all_watchers() -> None:
    raw = json.dumps(config_map(1)).encode()
    assert frame("MODIFIED", raw) is frame("MODIFIED", bytes(bytearray(raw)))


def test_large_events_are_not_kept() -> None:
    raw = json.dumps(config_map(KEPT_BYTES)).encode()
    assert frame("MODIFIED", raw) is not frame("MODIFIED", raw)
