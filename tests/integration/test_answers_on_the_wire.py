"""The bytes of answers: how JSON begins and ends, and what a client without TLS is told."""

import gzip
import json

import pytest

from tests.integration.hostile import wire as wire
from tests.integration.wire import Wire


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT"])
def test_a_client_without_tls_is_told_so(wire: Wire, method: str) -> None:
    with wire.plain() as sock:
        sock.sendall(f"{method} / HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        answer = b"".join(iter(lambda: sock.recv(65536), b""))
    head, _, text = answer.partition(b"\r\n\r\n")
    assert head == b"HTTP/1.0 400 Bad Request"
    assert text == b"Client sent an HTTP request to an HTTPS server.\n"


@pytest.mark.parametrize(
    ("path", "start", "end"),
    [
        ("/api/v1/namespaces/default", b'{"', b"}\n"),
        ("/api/v1/namespaces/default?pretty=true", b'{\n  "', b"\n}"),
        ("/api/v1/namespaces", b'{"', b"]}\n"),
        ("/api/v1/namespaces?limit=1", b'{"', b"]}\n"),
        ("/api/v1/namespaces/nobody", b'{"', b"}\n"),
        ("/api", b'{"', b"}\n"),
        ("/apis", b'{"', b"}\n"),
        ("/api/v1", b'{"', b"}\n"),
        ("/version", b'{\n  "', b"\n}"),
        ("/version?pretty=false", b'{\n  "', b"\n}"),
        ("/", b'{\n  "', b"\n}"),
        ("/openapi/v2", b'{"', b"}"),
        ("/openapi/v2?pretty=true", b'{"', b"}"),
        ("/openapi/v3/api/v1?pretty=true", b'{"', b"}"),
        ("/.well-known/openid-configuration?pretty=true", b'{"', b"}"),
    ],
)
def test_how_json_begins_and_ends(wire: Wire, path: str, start: bytes, end: bytes) -> None:
    body = wire.ask("GET", path).body
    assert body.startswith(start)
    assert body.endswith(end)


def test_a_packed_document_for_a_person(wire: Wire) -> None:
    fields = ["Accept-Encoding: gzip", "User-Agent: curl/8"]
    answer = wire.ask("GET", "/openapi/v2", headers=fields)
    assert answer.code == 200
    assert json.loads(gzip.decompress(answer.body))["swagger"] == "2.0"
