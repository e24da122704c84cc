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
ANSWERS = RECORDED["answers"]
BODIES = [
    one for one in ANSWERS if schema_of_kind(one["json"].get("apiVersion", ""), one["json"]["kind"])
]
"""Answers of kinds that a client may send, too."""


def pairs(answers: list[Any]) -> list[Any]:
    """Give object and bytes of each answer."""
    return [
        pytest.param(one["json"], base64.b64decode(one["protobuf"]), id=one["path"])
        for one in answers
    ]


@pytest.mark.parametrize(("obj", "data"), pairs(ANSWERS))
def test_json_becomes_the_bytes_that_the_real_server_sends(obj: Any, data: bytes) -> None:
    assert seal(obj) == data


@pytest.mark.parametrize(("obj", "data"), pairs(BODIES))
def test_bytes_become_the_object_that_the_real_server_shows(obj: Any, data: bytes) -> None:
    envelope = open_envelope(data)
    component = component_of(envelope.api_version, envelope.kind)
    schema = schema_of_kind(envelope.api_version, envelope.kind)
    assert component is not None
    assert schema is not None
    names = {"kind": envelope.kind, "apiVersion": envelope.api_version}
    assert decode(schema, read_message(component, envelope.message, names)).obj == obj


def test_events_become_the_frames_that_the_real_server_sends() -> None:
    events = RECORDED["watch"]["events"]
    frames = [frame(event["type"], json.dumps(event["object"]).encode()) for event in events]
    assert [event["type"] for event in events] == ["ADDED", "BOOKMARK"]
    assert b"".join(frames) == base64.b64decode(RECORDED["watch"]["protobuf"])
