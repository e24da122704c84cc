"""What goes back to the client."""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import yaml

from kedge.apiserver.http.accept import JSON, PROTOBUF, YAML
from kedge.apiserver.protobuf.envelope import seal

encode = msgspec.json.Encoder().encode

TEXT = "text/plain; charset=utf-8"


@dataclass(slots=True)
class Reply:
    """A whole answer: code, JSON bytes (or text), and headers beyond the usual."""

    code: int
    body: bytes
    media: str = JSON
    headers: dict[str, str] = field(default_factory=dict)


def json_reply(code: int, value: Any) -> Reply:
    """Give an answer made of plain values."""
    return Reply(code, encode(value))


def text_reply(code: int, text: str) -> Reply:
    """Give an answer in plain text, as paths that are no resources give it."""
    return Reply(code, text.encode(), TEXT, {"X-Content-Type-Options": "nosniff"})


def dressed(reply: Reply, media: str, pretty: bool) -> Reply:
    """Give the same answer in the form that was asked for; raises Unencodable."""
    if reply.media != JSON:
        return reply
    if media == PROTOBUF:
        return Reply(reply.code, seal(msgspec.json.decode(reply.body)), PROTOBUF, reply.headers)
    if media == YAML:
        text = yaml.dump(msgspec.json.decode(reply.body), Dumper=_Dumper, allow_unicode=True)
        return Reply(reply.code, text.encode(), YAML, reply.headers)
    if pretty:
        return Reply(
            reply.code, msgspec.json.format(reply.body, indent=2) + b"\n", JSON, reply.headers
        )
    return reply


_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
