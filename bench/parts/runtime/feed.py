"""The load side: an HTTP server that answers lists and watches as fast as they are read.

A namespace says by its name what is in it: `sync-20000` so many objects and a silent watch,
`events-50000` no objects and a watch of so many events at once, `packed-50000` the same with
many events in one HTTP chunk, `burst-10000` so many objects, each of which changes once when
anything is posted to them.
"""

import contextlib
import json
import socket
import sys
import threading
from collections.abc import Iterable
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from parts.runtime.objects import KINDS, START, Place, events, items

DISTINCT = 5_000
"""Objects that the events are about."""
BLOCK = 256
"""Events that are handed to the kernel together: half a megabyte."""
PACK = 32
"""Events in one chunk where they are packed: 64 KiB."""
VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]


def _resource(plural: str, kind: str, *, namespaced: bool = True) -> dict[str, object]:
    named = {"name": plural, "singularName": kind.lower(), "kind": kind}
    return {**named, "namespaced": namespaced, "verbs": VERBS}


RESOURCES = [_resource(plural, kind) for plural, kind in KINDS.items()]
RESOURCES.append(_resource("namespaces", "Namespace", namespaced=False))
DOCUMENTS: dict[str, dict[str, object]] = {
    "/version": {"major": "1", "minor": "34", "gitVersion": "v1.34.4"},
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": RESOURCES},
}


@cache
def stored(place: Place) -> list[bytes]:
    """Give the objects of a namespace."""
    name, _, count = place[1].partition("-")
    return items(place, int(count)) if name in ("sync", "burst") else []


@cache
def stream(place: Place) -> list[bytes]:
    """Give the events of a namespace."""
    name, _, count = place[1].partition("-")
    if name == "sync":
        return []
    known = name == "burst"
    distinct = int(count) if known else min(DISTINCT, int(count))
    lines = list(events(place, distinct, int(count), known=known))
    if name == "packed":
        lines = [b"".join(lines[i : i + PACK]) for i in range(0, len(lines), PACK)]
    return blocks(lines)


def blocks(lines: list[bytes]) -> list[bytes]:
    """Make a chunk of each line, as kube-apiserver sends them, and join as many as are written."""
    chunks = [b"%x\r\n%s\r\n" % (len(line), line) for line in lines]
    return [b"".join(chunks[i : i + BLOCK]) for i in range(0, len(chunks), BLOCK)]


def initial(place: Place) -> list[bytes]:
    """Give all objects as events, and the mark that ends them (KEP-3157)."""
    lines = [b'{"type":"ADDED","object":%s}\n' % body for body in stored(place)]
    meta = {"resourceVersion": str(START), "annotations": {"k8s.io/initial-events-end": "true"}}
    mark = {"kind": KINDS[place[0]], "apiVersion": "v1", "metadata": meta}
    lines.append(json.dumps({"type": "BOOKMARK", "object": mark}).encode() + b"\n")
    return blocks(lines)


class Watches:
    """The open watches of each namespace."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open: dict[Place, set[socket.socket]] = {}

    def hold(self, place: Place, connection: socket.socket) -> None:
        """Keep a watch until its reader goes away."""
        with self._changed:
            self._open.setdefault(place, set()).add(connection)
            self._changed.notify_all()
        with contextlib.suppress(ConnectionError):
            connection.recv(1)
        with self._changed:
            self._open[place].discard(connection)

    def send(self, place: Place) -> None:
        """Send all events of the namespace to its watch, when there is one."""
        with self._changed:
            self._changed.wait_for(lambda: self._open.get(place))
            readers = list(self._open[place])
        for reader in readers:
            send(reader, stream(place))


def send(connection: socket.socket, data: Iterable[bytes]) -> None:
    """Write until the reader has had enough."""
    with contextlib.suppress(ConnectionError):
        for block in data:
            connection.sendall(block)


WATCHES = Watches()


class Handler(BaseHTTPRequestHandler):
    """Answers one connection, in a thread of its own."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer discovery, a list or a watch."""
        url = urlsplit(self.path)
        asked = {key: values[-1] for key, values in parse_qs(url.query).items()}
        if (document := DOCUMENTS.get(url.path.rstrip("/"))) is not None:
            self._answer(json.dumps(document).encode())
        elif (place := _place(url.path)) is None:
            self._answer(b'{"kind":"Status","status":"Failure","message":"none","code":404}', 404)
        elif asked.get("watch") in ("1", "true", "True"):
            self._watch(place, with_initial="sendInitialEvents" in asked)
        else:
            self._list(place, asked)

    def do_POST(self) -> None:
        """Let all objects of a namespace change."""
        self._answer(b"{}")
        if place := _place(self.path):
            WATCHES.send(place)

    def do_PATCH(self) -> None:
        """Answer with the object, as if it were changed."""
        self.rfile.read(int(self.headers["Content-Length"]))
        path, _, number = urlsplit(self.path).path.rpartition("-")
        if place := _place(path.rpartition("/")[0]):
            self._answer(stored(place)[int(number)])

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _list(self, place: Place, asked: dict[str, str]) -> None:
        every = stored(place)
        first, limit = int(asked.get("continue") or 0), int(asked.get("limit") or 0)
        last = min(first + limit, len(every)) if limit else len(every)
        meta = {"resourceVersion": str(START)}
        if last < len(every):
            meta["continue"] = str(last)
        head = {"kind": f"{KINDS[place[0]]}List", "apiVersion": "v1", "metadata": meta}
        body = b",".join(every[first:last])
        self._answer(json.dumps(head)[:-1].encode() + b',"items":[' + body + b"]}")

    def _watch(self, place: Place, *, with_initial: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        if with_initial:
            send(self.connection, initial(place))
        if not place[1].startswith("burst"):
            send(self.connection, stream(place))
        WATCHES.hold(place, self.connection)

    def _answer(self, body: bytes, code: int = 200) -> None:
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """Serves until killed."""

    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of readers that went away."""


def _place(path: str) -> Place | None:
    """Read /api/v1/namespaces/<namespace>/<resource>."""
    match path.split("/"):
        case ["", _, "v1", "namespaces", namespace, resource] if resource in KINDS:
            return resource, namespace
    return None


def main() -> None:
    """Prepare what is named as resource/namespace, say the port, and serve until killed."""
    for name in sys.argv[1:]:
        resource, _, namespace = name.partition("/")
        stored((resource, namespace))
        stream((resource, namespace))
    server = Server(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
