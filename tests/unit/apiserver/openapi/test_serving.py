"""OpenAPI documents are made when asked for, under tags that move with their content."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from kedge.apiserver.openapi import OpenApi
from kedge.apiserver.openapi.serving import PROTOBUF
from kedge.apiserver.resource import Resource

from .conftest import FRAGMENT, Catalog, bars

Ask = Callable[..., Any]
OLD = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"


class Fragments:
    """Schemas of custom resources, which can change."""

    def __init__(self) -> None:
        self.schema: dict[str, Any] = FRAGMENT

    def __call__(self, resource: Resource, version: int) -> dict[str, Any]:
        return self.schema


@pytest.fixture
def fragments() -> Fragments:
    return Fragments()


@pytest.fixture
def openapi(catalog: Catalog, fragments: Fragments) -> OpenApi:
    return OpenApi(catalog, fragments)


def index(openapi: OpenApi, ask: Ask) -> dict[str, str]:
    reply = openapi(ask("/openapi/v3"))
    assert reply is not None
    paths = json.loads(reply.body)["paths"]
    return {name: entry["serverRelativeURL"] for name, entry in paths.items()}


def test_the_index_leads_to_every_document(openapi: OpenApi, ask: Ask) -> None:
    found = index(openapi, ask)
    assert {"api/v1", "apis/apps/v1", "apis/tz.io/v1"} <= found.keys()
    reply = openapi(ask(found["apis/tz.io/v1"]))
    assert reply is not None
    assert reply.code == 200
    assert reply.headers["Cache-Control"] == "public, immutable"
    assert reply.headers["ETag"].strip('"') in found["apis/tz.io/v1"]
    assert json.loads(reply.body)["openapi"] == "3.0.0"


def test_an_outdated_tag_leads_to_the_current_one(openapi: OpenApi, ask: Ask) -> None:
    reply = openapi(ask("/openapi/v3/apis/apps/v1?hash=OLD"))
    assert reply is not None
    assert reply.code == 301
    assert reply.headers["Location"] == index(openapi, ask)["apis/apps/v1"]


def test_only_the_tags_of_what_changed_move(
    openapi: OpenApi, catalog: Catalog, fragments: Fragments, ask: Ask
) -> None:
    before = index(openapi, ask)
    fragments.schema = {"type": "object"}
    catalog.resources = [*catalog.resources, bars("aaa.io")]
    catalog.revision += 1
    after = index(openapi, ask)
    assert {name for name in after if after[name] != before.get(name)} == {
        "apis/tz.io/v1",
        "apis/aaa.io/v1",
    }
    reply = openapi(ask("/openapi/v3/apis/tz.io/v1"))
    assert reply is not None
    schema = json.loads(reply.body)["components"]["schemas"]["io.tz.v1.Bar"]
    assert "description" not in schema


def test_a_version_that_is_gone_is_not_found(openapi: OpenApi, catalog: Catalog, ask: Ask) -> None:
    assert openapi(ask("/openapi/v3/apis/tz.io/v1")) is not None
    catalog.resources = catalog.resources[:-1]
    catalog.revision += 1
    reply = openapi(ask("/openapi/v3/apis/tz.io/v1"))
    assert reply is not None
    assert reply.code == 404


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3/apis/apps/v1"])
def test_a_known_tag_is_answered_in_short(openapi: OpenApi, ask: Ask, path: str) -> None:
    first = openapi(ask(path))
    assert first is not None
    again = openapi(ask(path, If_None_Match=f'"other", W/{first.headers["ETag"]}'))
    assert again is not None
    assert (again.code, again.body) == (304, b"")


def test_documents_are_sent_compressed_to_those_who_take_it(openapi: OpenApi, ask: Ask) -> None:
    plain = openapi(ask("/openapi/v3/apis/apps/v1"))
    packed = openapi(ask("/openapi/v3/apis/apps/v1", Accept_Encoding="gzip, br"))
    assert plain is not None
    assert packed is not None
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 5


def test_old_clients_get_protobuf(openapi: OpenApi, ask: Ask) -> None:
    reply = openapi(ask("/openapi/v2", Accept=OLD))
    assert reply is not None
    assert reply.media == PROTOBUF
    assert reply.body.startswith(b"\n\x032.0\x12\x12\n\nKubernetes\x12\x041.34")


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/openapi/v2", "text/plain"),
        ("/openapi/v3/apis/apps/v1", "application/yaml"),
        ("/openapi/v3/apis/apps/v1", OLD),
    ],
)
def test_nothing_else_is_given(openapi: OpenApi, ask: Ask, path: str, accept: str) -> None:
    reply = openapi(ask(path, Accept=accept))
    assert reply is not None
    assert (reply.code, reply.body) == (406, b"")


@pytest.mark.parametrize("path", ["/openapi", "/api/v1", "/openapi/v1"])
def test_other_paths_are_left_to_others(openapi: OpenApi, ask: Ask, path: str) -> None:
    assert openapi(ask(path)) is None
