"""Answers to questions about OpenAPI: documents made on demand and kept compressed."""

import gzip
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

import msgspec

from kedge.apiserver.http.accept import JSON, clauses
from kedge.apiserver.http.handler import Exchange
from kedge.apiserver.http.reply import TEXT, Reply
from kedge.apiserver.kinds import table
from kedge.apiserver.openapi import protobuf
from kedge.apiserver.openapi.documents import Fragment, document2, document3
from kedge.apiserver.resource import Resource

ROOT: Final = "/openapi/v"
PROTOBUF: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_OLD_PROTOBUF: Final = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
_ANY: Final = {"*/*": JSON, "application/*": JSON, JSON: JSON}
_FORMS: Final = {
    "v3": _ANY,
    "v2": _ANY | {PROTOBUF: PROTOBUF, _OLD_PROTOBUF: PROTOBUF},
}
_LEVEL: Final = 1
"""Of gzip: documents are read rarely, and the server waits while one is packed."""
_FORMAT: Final = b"1"
"""Moves the tags when documents of the same resources come out differently."""


class Catalog(Protocol):
    """The served resources; `revision` moves with every change."""

    revision: int

    def __iter__(self) -> Iterator[Resource]:
        """Go over all resources."""


@dataclass(slots=True)
class Packed:
    """A document, compressed."""

    tag: str
    data: bytes


class OpenApi:
    """Answers GET of /openapi/v2, /openapi/v3 and the documents below it."""

    def __init__(self, catalog: Catalog, fragment: Fragment) -> None:
        """Tell of the resources of `catalog`; `fragment` gives the schemas of custom ones."""
        self._catalog = catalog
        self._fragment = fragment
        self._revision = -1
        self._versions: dict[str, list[Resource]] = {}
        self._tags: dict[str, str] = {}
        self._packed: dict[str, Packed] = {}

    def __call__(self, exchange: Exchange) -> Reply | None:
        """Answer a path, or give None if it is not one of OpenAPI."""
        path = exchange.target.path
        if not path.startswith(ROOT):
            return None
        self._refresh()
        if path == "/openapi/v3":
            return Reply(200, self._index(), TEXT)
        if path == "/openapi/v2":
            return self._two(exchange)
        name = path.removeprefix("/openapi/v3/")
        if name == path or name not in self._versions:
            return Reply(404, b"", TEXT) if path.startswith("/openapi/v3/") else None
        return self._three(exchange, name)

    def _refresh(self) -> None:
        if self._revision == self._catalog.revision:
            return
        self._revision = self._catalog.revision
        self._versions, self._tags = {}, {}
        for one in self._catalog:
            name = f"apis/{one.group}/{one.version}" if one.group else f"api/{one.version}"
            self._versions.setdefault(name, []).append(one)
        gone = [name for name in self._packed if name not in self._versions and name[:2] != "v2"]
        for name in gone:
            del self._packed[name]

    def _tag(self, name: str) -> str:
        """Tag a document by what it is made of, so that none has to be made for its tag."""
        if name not in self._tags:
            digest = hashlib.sha512(_FORMAT + name.encode())
            for one in self._versions[name]:
                digest.update(self._facts(one))
            self._tags[name] = digest.hexdigest().upper()
        return self._tags[name]

    def _facts(self, one: Resource) -> bytes:
        if not one.custom:
            return _builtin_digest() + one.plural.encode()
        names = (one.plural, one.kind, one.list_kind, one.namespaced, one.verbs)
        subresources = [(sub.name, sub.kind, sub.verbs) for sub in one.subresources.values()]
        return msgspec.json.encode([names, subresources, self._fragment(one, 3)])

    def _index(self) -> bytes:
        paths = {
            name: {"serverRelativeURL": f"/openapi/v3/{name}?hash={self._tag(name)}"}
            for name in sorted(self._versions)
        }
        return msgspec.json.encode({"paths": paths})

    def _three(self, exchange: Exchange, name: str) -> Reply:
        if _form(exchange, "v3") is None:
            return _not_acceptable()
        tag = self._tag(name)
        asked = exchange.query.values.get("hash")
        if asked and asked[0] != tag:
            headers = {
                "Location": f"/openapi/v3/{name}?hash={tag}",
                "ETag": f'"{tag}"',
                "Vary": "Accept",
            }
            return Reply(301, b"", JSON, headers, fixed=True)
        # A document that is asked for by its tag never changes.
        kept = {"Cache-Control": "public, immutable"} if asked else {}
        make = self._make_three
        return self._reply(exchange, name, tag, lambda: make(name), JSON, kept)

    def _make_three(self, name: str) -> bytes:
        return msgspec.json.encode(document3(self._versions[name], self._fragment))

    def _two(self, exchange: Exchange) -> Reply:
        media = _form(exchange, "v2")
        if media is None:
            return _not_acceptable()
        digest = hashlib.sha512()
        for name in sorted(self._versions):
            digest.update(self._tag(name).encode())
        tag = digest.hexdigest().upper()
        make: Callable[[], bytes] = self._make_two if media == JSON else self._make_protobuf
        return self._reply(exchange, f"v2 {media}", tag, make, media, {})

    def _document2(self) -> dict[str, Any]:
        return document2((self._versions[name] for name in sorted(self._versions)), self._fragment)

    def _make_two(self) -> bytes:
        return msgspec.json.encode(self._document2())

    def _make_protobuf(self) -> bytes:
        return protobuf.encode(self._document2())

    def _reply(
        self,
        exchange: Exchange,
        name: str,
        tag: str,
        make: Callable[[], bytes],
        media: str,
        headers: dict[str, str],
    ) -> Reply:
        headers = {"ETag": f'"{tag}"', "Vary": "Accept", **headers}
        asked = exchange.request.headers
        if _knows(asked.get("If-None-Match", ""), headers["ETag"]):
            return Reply(304, b"", media, headers, fixed=True)
        packed = self._packed.get(name)
        if packed is None or packed.tag != tag:
            packed = self._packed[name] = Packed(tag, gzip.compress(make(), _LEVEL, mtime=0))
        if "gzip" in asked.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Reply(200, packed.data, media, headers, fixed=True)
        return Reply(200, gzip.decompress(packed.data), media, headers, fixed=True)


@lru_cache(maxsize=1)
def _builtin_digest() -> bytes:
    return hashlib.sha512(table.DATA.read_bytes()).digest()


def _form(exchange: Exchange, version: str) -> str | None:
    for clause in clauses(exchange.request.headers.get("Accept", "")):
        media = _FORMS[version].get(clause.media)
        if media is not None:
            return media
    return None


def _not_acceptable() -> Reply:
    return Reply(406, b"", TEXT, {"Vary": "Accept"})


def _knows(header: str, tag: str) -> bool:
    known = [one.strip().removeprefix("W/") for one in header.split(",")]
    return tag in known or "*" in known
