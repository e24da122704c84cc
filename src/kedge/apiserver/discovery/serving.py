"""Answers to questions about discovery: documents are kept until the resources change."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

import msgspec

from kedge.apiserver.discovery import documents
from kedge.apiserver.http.accept import (
    JSON,
    PROTOBUF,
    REPRESENTATIONS,
    Accept,
    accept_route,
    converts,
    offers,
)
from kedge.apiserver.http.handler import Exchange
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.http.yamlform import to_yaml
from kedge.apiserver.protobuf.envelope import seal
from kedge.apiserver.resource import Resource
from kedge.apiserver.routing import not_allowed
from kedge.kube.errors import NotFound
from kedge.kube.refusals import not_acceptable

AGGREGATED: Final = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


class Catalog(Protocol):
    """The served resources; `revision` moves with every change."""

    revision: int

    def __iter__(self) -> Iterator[Resource]:
        """Go over all resources."""


@dataclass(frozen=True, slots=True)
class Aggregated:
    """An aggregated document and its tag."""

    body: bytes
    tag: str


class Discovery:
    """Answers GET of /api, /apis and all that is below them and is no resource."""

    def __init__(self, catalog: Catalog, address: Callable[[], str]) -> None:
        """Tell of the resources of `catalog`; `address` is the server's own host and port."""
        self._catalog = catalog
        self._address = address
        self._revision = -1
        self._groups = documents.Groups([])
        self._plain: dict[str, bytes] = {}
        self._aggregated: dict[str, Aggregated] = {}

    def __call__(self, exchange: Exchange) -> Reply | None:
        """Answer a path, or give None if it is not one of discovery."""
        parts = exchange.target.path.strip("/").split("/")
        if (
            parts[0] not in {"api", "apis"}
            or exchange.target.path.startswith("//")
            or len(parts) > 3
            or (parts[0] == "api" and len(parts) > 2)
        ):
            return None
        self._refresh()
        if exchange.request.method != "GET" and self._is_found(parts):
            raise not_allowed()
        accept = exchange.request.headers.get("Accept", "")
        if len(parts) == 1:
            return self._root(exchange, parts[0], accept)
        name = "/".join(parts)
        body = self._plain.get(name) or self._make(name, parts)
        if body is None:
            return None
        exchange.accept = Accept(_form(accept, self._is_found(parts), may_aggregate=False)[0])
        return Reply(200, body)

    def _is_found(self, parts: list[str]) -> bool:
        """Whether a path is behind the router of a real server, which tells methods apart."""
        if parts[0] == "api":
            return len(parts) == 1 or parts[1] in self._groups.core
        return (
            len(parts) == 3
            and parts[1] in self._groups.builtin
            and parts[2] in self._groups.by_name[parts[1]]
        )

    def paths(self) -> list[str]:
        """Name all paths of groups and versions, for the list of paths."""
        self._refresh()
        found = [f"/api/{version}" for version in self._groups.core]
        for name, versions in self._groups.by_name.items():
            found.append(f"/apis/{name}")
            found += [f"/apis/{name}/{version}" for version in versions]
        return found

    def _refresh(self) -> None:
        if self._revision != self._catalog.revision:
            self._revision = self._catalog.revision
            self._groups = documents.Groups(self._catalog)
            self._plain.clear()
            self._aggregated.clear()

    def _root(self, exchange: Exchange, name: str, accept: str) -> Reply:
        media, aggregated = _form(accept, name == "api", may_aggregate=True)
        if aggregated:
            tag = exchange.request.headers.get("If-None-Match", "")
            return self._aggregated_reply(name, media, tag)
        exchange.accept = Accept(media)
        return Reply(200, self._plain.get(name) or self._make_root(name))

    def _make_root(self, name: str) -> bytes:
        if name == "api":
            document = documents.api_versions(self._groups.core, self._address())
        else:
            document = documents.group_list(self._groups.by_service)
        return self._keep(name, document)

    def _make(self, name: str, parts: list[str]) -> bytes | None:
        if parts[0] == "api":
            if parts[1] not in self._groups.core:
                raise _nowhere()
            return self._keep(name, documents.resource_list(self._groups.core[parts[1]]))
        versions = self._groups.by_name.get(parts[1])
        if versions is None:
            return None
        if len(parts) == 2:
            return self._keep(name, documents.group(parts[1], versions))
        if parts[2] not in versions:
            if parts[1] in self._groups.builtin:
                raise _nowhere()
            return None
        return self._keep(name, documents.resource_list(versions[parts[2]]))

    def _keep(self, name: str, document: Any) -> bytes:
        self._plain[name] = msgspec.json.encode(document) + b"\n"
        return self._plain[name]

    def _aggregated_reply(self, name: str, media: str, known: str) -> Reply:
        kept = self._aggregated.get(name)
        if kept is None:
            groups = {"": self._groups.core} if name == "api" else self._groups.by_name
            body = msgspec.json.encode(documents.aggregated(groups)) + b"\n"
            kept = Aggregated(body, f'"{hashlib.sha512(body).hexdigest().upper()}"')
            self._aggregated[name] = kept
        headers = {"ETag": kept.tag, "Vary": "Accept", "Cache-Control": "public"}
        if known == kept.tag:
            return Reply(304, b"", media + AGGREGATED, headers)
        body = kept.body if media == JSON else to_yaml(msgspec.json.decode(kept.body))
        if media == PROTOBUF:
            body = seal(msgspec.json.decode(kept.body))
        return Reply(200, body, media + AGGREGATED, headers)


@lru_cache(maxsize=256)
def _form(header: str, is_routed: bool, may_aggregate: bool) -> tuple[str, bool]:
    """Choose the media type, and whether to aggregate; raises NotAcceptable."""
    if is_routed:
        accept_route(header, REPRESENTATIONS)
    for media, wish in offers(header):
        if not converts(wish):
            return media, False
        if may_aggregate and _is_aggregated(wish):
            return media, True
    raise not_acceptable(REPRESENTATIONS)


def _is_aggregated(wanted: dict[str, str]) -> bool:
    asked = wanted.get("as"), wanted.get("g"), wanted.get("v")
    return asked == ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2")


def _nowhere() -> NotFound:
    return NotFound("the server could not find the requested resource", {})
