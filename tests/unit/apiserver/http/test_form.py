"""Answers in the form that was asked for, and what becomes of those that do not have it."""

import json
from typing import Any, cast

import pytest

from kedge.apiserver.forms import EventForm, FramedEvents
from kedge.apiserver.http.accept import JSON, PROTOBUF, YAML, Accept
from kedge.apiserver.http.handler import finished
from kedge.apiserver.http.reply import TEXT, encode, json_reply, text_reply
from kedge.apiserver.protobuf.envelope import seal
from kedge.apiserver.protobuf.frame import frame
from kedge.kube.errors import Expired

STATUS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 200}


def test_an_answer_becomes_protobuf() -> None:
    reply = finished(json_reply(201, STATUS), Accept(PROTOBUF), pretty=True)
    assert (reply.code, reply.body, reply.media) == (201, seal(STATUS), PROTOBUF)


def test_an_answer_becomes_yaml() -> None:
    reply = finished(json_reply(200, {"a": "b"}), Accept(YAML), pretty=False)
    assert (reply.body, reply.media) == (b"a: b\n", YAML)


def test_json_is_for_a_person_if_the_form_says_so() -> None:
    reply = finished(json_reply(200, {"a": 1}), Accept(JSON, pretty=True), pretty=False)
    assert reply.body == b'{\n  "a": 1\n}'


def test_plain_text_stays_plain_text() -> None:
    reply = finished(text_reply(404, "nothing"), Accept(PROTOBUF), pretty=False)
    assert (reply.body, reply.media) == (b"nothing", TEXT)


def test_an_answer_that_has_no_such_form_is_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    reply = finished(json_reply(200, {"kind": "Widget"}), Accept(PROTOBUF), pretty=False)
    assert (reply.code, reply.media) == (500, JSON)
    assert json.loads(reply.body)["message"] == (
        "Internal error occurred: Widget has no form in protobuf"
    )
    assert "answer has no such form" in caplog.text


class Nothing:
    """Stands for the parts of a server that these events do not need."""

    resource = None


def test_events_are_framed_as_the_lines_of_another_form() -> None:
    lines = EventForm(cast(Any, Nothing()), cast(Any, Nothing()))
    error = Expired("too old")
    written = FramedEvents(lines).error(error)
    assert lines.error(error) == b'{"type":"ERROR","object":' + encode(error.status) + b"}\n"
    assert written == frame("ERROR", encode(error.status))
