"""What a real kube-apiserver answered, as JSON and as protobuf: the one becomes the other."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.protobuf.decode import read_message
from kedge.apiserver.protobuf.envelope import open_envelope, seal
from kedge.apiserver.protobuf.frame import frame
from kedge.apiserver.protobuf.message import component_of
from kedge.apiserver.typed.decode import decode

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text())
ANSWERS = [
    pytest.param(one["json"], base64.b64decode(one["protobuf"]), id=one["path"])
    for one in RECORDED["answers"]
]


@pytest.mark.parametrize(("obj", "data"), ANSWERS)
def test_json_becomes_the_bytes_that_the_real_server_sends(obj: Any, data: bytes) -> None:
    assert seal(obj) == data


@pytest.mark.parametrize(("obj", "data"), ANSWERS)
def test_bytes_become_the_object_that_the_real_server_shows(obj: Any, data: bytes) -> None:
    envelope = open_envelope(data)
    names = {"kind": envelope.kind, "apiVersion": envelope.api_version}
    component = component_of(envelope.api_version, envelope.kind)
    assert component is not None
    read = read_message(component, envelope.message, dict(names))
    schema = schema_of_kind(envelope.api_version, envelope.kind)
    if schema is None:
        # No body has such a kind. What is empty is not told from what is not there.
        assert _filled(read) == _filled(obj)
    else:
        assert decode(schema, read).obj == obj


def test_events_become_the_frames_that_the_real_server_sends() -> None:
    events = RECORDED["watch"]["events"]
    frames = [frame(event["type"], json.dumps(event["object"]).encode()) for event in events]
    assert [event["type"] for event in events] == ["ADDED", "BOOKMARK"]
    assert b"".join(frames) == base64.b64decode(RECORDED["watch"]["protobuf"])


def _filled(value: Any) -> Any:
    if isinstance(value, list):
        return [_filled(item) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item) for key, item in value.items() if item not in (None, "", [])}
    return value
