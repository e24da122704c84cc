"""A request as the proxy takes it from a client, read as Kubernetes reads it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import msgspec

from kedge.apiserver.http.path import PathError, Target, target_of
from kedge.testing.faults.wire import Framing, Headers, WireError, read_body, read_head

READS = {"GET", "HEAD", "OPTIONS"}
TRUE = {"true", "1", ""}
"""Values of `watch` that mean yes."""


@dataclass(frozen=True)
class Request:
    """One request, its body whole."""

    method: str
    target: str
    """Path and query as they were sent."""
    headers: Headers
    body: bytes = b""

    @cached_property
    def path(self) -> str:
        """The path without the query, decoded."""
        return unquote(urlsplit(self.target).path)

    @cached_property
    def query(self) -> dict[str, str]:
        """The parameters; of one that is there twice, the last."""
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    @cached_property
    def aim(self) -> Target:
        """Verb, group, plural, namespace, name and subresource, where the path has them."""
        watch = self.query.get("watch", "false") in TRUE
        try:
            return target_of(self.method, self.path, watch)
        except PathError:
            return Target(self.path, self.method.lower())

    @property
    def is_watch(self) -> bool:
        """Whether the answer is a stream of events."""
        return self.aim.verb == "watch"

    @property
    def is_write(self) -> bool:
        """Whether it may change something."""
        return self.method not in READS

    @property
    def name(self) -> str:
        """The name of the object it is about: from the path, or from the object that is sent."""
        return self.aim.name or _name_in(self.body)

    def asking(self, **query: str | None) -> "Request":
        """Make the same request with other parameters; None leaves one out."""
        changed = {**self.query, **query}
        kept = {key: value for key, value in changed.items() if value is not None}
        path = urlsplit(self.target).path
        target = f"{path}?{urlencode(kept)}" if kept else path
        return Request(self.method, target, self.headers, self.body)


Matcher = Callable[[Request], bool]
"""Tells which requests are meant."""


def _name_in(body: bytes) -> str:
    try:
        metadata = msgspec.json.decode(body)["metadata"]
        return str(metadata.get("name") or metadata.get("generateName") or "")
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
        return ""


async def read_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Request | None:
    """Read the next request; None when the client has no more. Raises WireError and EOFError."""
    head = await read_head(reader)
    if head is None:
        return None
    method, _, rest = head.line.partition(" ")
    target, _, version = rest.rpartition(" ")
    if not target.startswith("/") or not version.startswith("HTTP/1."):
        raise WireError("a first line that is no request")
    headers = head.headers
    framing = Framing.CHUNKED if headers.is_chunked else Framing.COUNTED
    if headers.lists("Expect", "100-continue"):
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = b"".join([piece async for piece in read_body(reader, framing, headers)])
    return Request(method, target, headers, body)
