"""Bytes to a server and back: requests that no honest client would send."""

import json
import select
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 30.0
"""Seconds after which a server that says nothing hangs."""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    code: int
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> str:
        """The message of a Status, or the plain text."""
        if self.headers.get("content-type") != "application/json":
            return self.body.decode(errors="replace").strip()
        message: str = json.loads(self.body).get("message", "")
        return message

    @property
    def object(self) -> Any:
        """The answer as an object."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Wire:
    """The way to one server."""

    url: str
    tls: ssl.SSLContext
    token: str = ""

    @property
    def address(self) -> tuple[str, int]:
        """Where the server listens."""
        parts = urlsplit(self.url)
        assert parts.hostname is not None
        assert parts.port is not None
        return parts.hostname, parts.port

    @contextmanager
    def plain(self) -> Iterator[socket.socket]:
        """Open a connection without TLS."""
        with socket.create_connection(self.address, PATIENCE) as sock:
            yield sock

    @contextmanager
    def connected(self) -> Iterator[ssl.SSLSocket]:
        """Open a connection."""
        with (
            self.plain() as sock,
            self.tls.wrap_socket(sock, server_hostname=self.address[0]) as connection,
        ):
            yield connection

    def head(self, line: str, headers: Sequence[str] = ()) -> bytes:
        """Write a request's first line and headers."""
        usual = ["Host: localhost"]
        if not any(field.startswith("User-Agent:") for field in headers):
            usual.append("User-Agent: wire")
        if self.token:
            usual.append(f"Authorization: Bearer {self.token}")
        return "\r\n".join([line, *usual, *headers, "", ""]).encode("latin1")

    def exchange(self, data: bytes) -> bytes:
        """Send bytes, and give all that comes back until the server closes the connection."""
        with self.connected() as connection:
            return _exchanged(connection, memoryview(data))

    def ask(self, method: str, path: str, body: bytes = b"", headers: Sequence[str] = ()) -> Answer:
        """Send one request."""
        length = [f"Content-Length: {len(body)}"] if body else []
        head = self.head(f"{method} {path} HTTP/1.1", ["Connection: close", *length, *headers])
        return answer_of(self.exchange(head + body))

    def send(self, method: str, path: str, body: bytes, media: str = "application/json") -> Answer:
        """Send a request with a body of a kind."""
        return self.ask(method, path, body, [f"Content-Type: {media}"])


def _exchanged(connection: ssl.SSLSocket, data: memoryview) -> bytes:
    """Send and hear at the same time.

    A server that has heard enough answers, waits for half a second and resets the connection:
    an answer that was not read by then is lost.
    """
    connection.setblocking(False)
    pieces: list[bytes] = []
    while True:
        try:
            piece = connection.recv(65536)
        except ssl.SSLWantReadError:
            data = data[_sent(connection, data[:65536]) :]
            wanted = [connection] if data else []
            if not any(select.select([connection], wanted, [], PATIENCE)):
                raise TimeoutError("the server says nothing") from None
        except (ConnectionResetError, ssl.SSLEOFError):
            break
        else:
            if not piece:
                break
            pieces.append(piece)
    return b"".join(pieces)


def _sent(connection: ssl.SSLSocket, data: memoryview) -> int:
    """Send what the connection takes; all of it, if nobody hears it any more."""
    try:
        return connection.send(data) if data else 0
    except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
        return 0
    except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
        return len(data)


def received(connection: ssl.SSLSocket) -> bytes:
    """Read until the end."""
    pieces = []
    while True:
        try:
            piece = connection.recv(65536)
        except (ConnectionResetError, ssl.SSLEOFError):
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces)


def answer_of(data: bytes) -> Answer:
    """Read an answer that ends with the connection."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin1").split("\r\n")
    assert first.startswith("HTTP/1."), data[:200]
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    headers["content-type"] = headers.get("content-type", "").partition(";")[0]
    if headers.get("transfer-encoding") == "chunked":
        body = unchunked(body)
    return Answer(int(first.split()[1]), headers, body)


def unchunked(data: bytes) -> bytes:
    """Join the chunks of a body."""
    pieces = []
    while data:
        size, _, data = data.partition(b"\r\n")
        length = int(size, 16)
        pieces.append(data[:length])
        data = data[length + 2 :]
    return b"".join(pieces)


def chunked(body: bytes, size: int = 65536) -> bytes:
    """Cut a body into chunks."""
    pieces = (body[start : start + size] for start in range(0, len(body), size))
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
