"""What goes back to the client."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from kedge.apiserver.http.accept import JSON, PROTOBUF, YAML
from kedge.apiserver.http.yamlform import UNREADABLE, to_yaml
from kedge.apiserver.protobuf.envelope import seal

encode = msgspec.json.Encoder().encode
format_json = msgspec.json.format

TEXT = "text/plain; charset=utf-8"


class Unwritable(Exception):
    """An answer has no form in YAML."""


@dataclass(slots=True)
class Reply:
    """A whole answer: code, JSON bytes (or text), and headers beyond the usual."""

    code: int
    body: bytes
    media: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    fixed: bool = False
    """It has one form only, whatever the client asks for."""


def json_reply(code: int, value: Any) -> Reply:
    """Give an answer made of plain values."""
    return Reply(code, encode(value))


def document_reply(value: Any) -> Reply:
    """Give an answer that is indented for everybody."""
    return Reply(200, format_json(encode(value), indent=2), fixed=True)


def text_reply(code: int, text: str) -> Reply:
    """Give an answer in plain text, as paths that are no resources give it."""
    return Reply(code, text.encode(), TEXT, {"X-Content-Type-Options": "nosniff"})


def dressed(reply: Reply, media: str, pretty: bool) -> Reply:
    """Give the same answer in the form that was asked for; raises Unencodable."""
    if reply.media != JSON or reply.fixed:
        return reply
    if media == PROTOBUF:
        return Reply(reply.code, seal(msgspec.json.decode(reply.body)), PROTOBUF, reply.headers)
    if media == YAML:
        return Reply(reply.code, _yaml_of(reply.body), YAML, reply.headers)
    if pretty:
        return Reply(reply.code, format_json(reply.body, indent=2), JSON, reply.headers)
    if not reply.body.endswith(b"\n"):
        reply.body += b"\n"  # as Go's encoder does
    return reply


def _yaml_of(body: bytes) -> bytes:
    if UNREADABLE.search(body.decode()):
        # A real server fails here, and says so in YAML all the same.
        raise Unwritable("yaml: control characters are not allowed")
    return to_yaml(msgspec.json.decode(body))
