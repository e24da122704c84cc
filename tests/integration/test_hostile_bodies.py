"""Bodies that are too big, too deep, or no text: refused as Kubernetes refuses them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.hostile import CONFIGS, config
from tests.integration.hostile import wire as wire
from tests.integration.wire import Wire, answer_of, chunked

DEPTH = 20_000
OBJECTS = b'{"a":' * DEPTH + b"1" + b"}" * DEPTH
LISTS = b"[" * DEPTH + b"]" * DEPTH
BLOCK = b"- " * DEPTH + b"a"
FLOW = b"{a: " * DEPTH + b"1" + b"}" * DEPTH
YAML = "application/yaml"
MERGE, STRATEGIC = "application/merge-patch+json", "application/strategic-merge-patch+json"
JSON_PATCH, APPLY = "application/json-patch+json", "application/apply-patch+yaml"
LIMIT = 3 * 1024 * 1024
TOO_LARGE = "Request entity too large: limit is 3145728"
UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap): "
QUOTED = '({"apiVersion":"v1","kind":"Con ...)'
QUOTED_YAML = "(61706956657273696f6e3a2076310a6b696e643a20436f6e6669674d6170 ...)"
TEXT = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: deep}\n"
WELLS = "/apis/deep.test/v1/namespaces/default/wells"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
BOMB = (
    TEXT
    + b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(
        b"%c: &%c [%s]\n" % (letter + 1, letter + 1, b",".join([b"*%c" % letter] * 9))
        for letter in range(ord("a"), ord("j"))
    )
)


@pytest.fixture(scope="module")
def target(wire: Wire) -> Iterator[str]:
    """Give the path of an object to patch."""
    wire.send("POST", CONFIGS, config("target"))
    yield f"{CONFIGS}/target"
    wire.ask("DELETE", f"{CONFIGS}/target")


@pytest.fixture(scope="module")
def wells(wire: Wire) -> Iterator[str]:
    """Define a kind that takes anything; give the path of its objects."""
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "plain": {"type": "object", "properties": {"a": {"type": "string"}}},
        },
    }
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "wells", "singular": "well", "kind": "Well", "listKind": "WellList"}
    spec = {"group": "deep.test", "scope": "Namespaced", "names": names, "versions": [version]}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    body = json.dumps({**head, "metadata": {"name": "wells.deep.test"}, "spec": spec}).encode()
    assert wire.send("POST", CRDS, body).code == 201
    while wire.ask("GET", WELLS).code != 200:
        """A real server takes a moment."""
    yield WELLS
    wire.ask("DELETE", f"{CRDS}/wells.deep.test")


@pytest.mark.parametrize("query", ["", "&fieldValidation=Strict", "&fieldValidation=Ignore"])
@pytest.mark.parametrize(
    ("rest", "character"),
    [
        (b'"data":{"a":%s}' % OBJECTS, "{"),
        (b'"data":%s' % LISTS, "["),
        (b'"unknown":%s' % OBJECTS, "{"),
    ],
    ids=["objects", "lists", "unknown"],
)
def test_deep_json(wire: Wire, query: str, rest: bytes, character: str) -> None:
    answer = wire.send("POST", f"{CONFIGS}?dryRun=All{query}", config("deep", rest))
    why = f"json parse error: invalid character '{character}' exceeded max depth {QUOTED}"
    assert answer.code == 400
    assert answer.message == f"{UNRECOGNIZED}couldn't get version/kind; {why}"


@pytest.mark.parametrize("rest", [FLOW, LISTS], ids=["flow", "lists"])
def test_deep_yaml(wire: Wire, rest: bytes) -> None:
    answer = wire.send("POST", f"{CONFIGS}?dryRun=All", TEXT + b"data: " + rest, YAML)
    why = f"yaml: line 4: exceeded max depth of 10000 {QUOTED_YAML}"
    assert (answer.code, answer.message) == (400, UNRECOGNIZED + why)


def test_deep_yaml_in_lines(wire: Wire) -> None:
    answer = wire.send("POST", f"{CONFIGS}?dryRun=All", TEXT + b"data:\n  " + BLOCK, YAML)
    why = f"yaml: line 5: exceeded max depth of 10000 {QUOTED_YAML}"
    assert (answer.code, answer.message) == (400, UNRECOGNIZED + why)


@pytest.mark.parametrize(
    ("media", "body", "message"),
    [
        (MERGE, b'{"data":%s}' % OBJECTS, "error decoding patch: {}"),
        (MERGE, b'{"metadata":{"annotations":%s}}' % OBJECTS, "error decoding patch: {}"),
        (STRATEGIC, b'{"data":%s}' % OBJECTS, "{}"),
        (
            JSON_PATCH,
            b'[{"op":"add","path":"/data","value":%s}]' % OBJECTS,
            "error decoding patch: {}",
        ),
        (
            APPLY,
            config("target", b'"data":%s' % OBJECTS),
            "error decoding YAML: error converting YAML to JSON: yaml: exceeded max depth of 10000",
        ),
        (
            APPLY,
            TEXT + b"data: " + FLOW,
            "error decoding YAML: error converting YAML to JSON: "
            "yaml: line 4: exceeded max depth of 10000",
        ),
    ],
    ids=["merge", "merge metadata", "strategic", "json", "apply json", "apply yaml"],
)
def test_a_deep_patch(wire: Wire, target: str, media: str, body: bytes, message: str) -> None:
    query = "?fieldManager=m&force=true" if media == APPLY else ""
    answer = wire.send("PATCH", target + query, body, media)
    deep = "invalid character '{' exceeded max depth"
    assert (answer.code, answer.message) == (400, message.format(deep))


def test_deep_options_of_a_deletion(wire: Wire, target: str) -> None:
    body = b'{"kind":"DeleteOptions","apiVersion":"v1","preconditions":%s}' % OBJECTS
    answer = wire.send("DELETE", target, body)
    deep = "json parse error: invalid character '{' exceeded max depth"
    assert (answer.code, answer.message) == (500, f"couldn't get version/kind; {deep}")


@pytest.mark.parametrize("field", [b'"spec":%s', b'"plain":{"b":%s}', b'"plain":{"a":%s}'])
def test_a_deep_custom_object(wire: Wire, wells: str, field: bytes) -> None:
    head = b'{"apiVersion":"deep.test/v1","kind":"Well","metadata":{"name":"w"},%s}'
    answer = wire.send("POST", wells, head % (field % OBJECTS))
    assert answer.code == 400
    assert "invalid character '{' exceeded max depth" in answer.message


def test_an_object_that_is_deep_for_python_is_taken_or_refused_as_a_deeper_one(
    wire: Wire, wells: str
) -> None:
    """A real server takes ten thousand levels, ours some hundreds: more than anybody has."""
    head = b'{"apiVersion":"deep.test/v1","kind":"Well","metadata":{"name":"d%d"},"spec":%s}'
    for depth in (100, 1000, 2000):
        answer = wire.send("POST", wells, head % (depth, b'{"a":' * depth + b"1" + b"}" * depth))
        if depth == 100 or answer.code != 400:
            assert answer.code == 201
        else:
            assert "exceeded max depth" in answer.message


@pytest.mark.parametrize("media", [MERGE, JSON_PATCH, APPLY])
def test_a_deep_patch_of_a_custom_object(wire: Wire, wells: str, media: str) -> None:
    head = b'{"apiVersion":"deep.test/v1","kind":"Well","metadata":{"name":"p"},"spec":%s}'
    assert wire.send("POST", wells, head % b"{}").code in {201, 409}
    body = head % OBJECTS
    if media == JSON_PATCH:
        body = b'[{"op":"add","path":"/spec/a","value":%s}]' % OBJECTS
    query = "?fieldManager=m" if media == APPLY else ""
    answer = wire.send("PATCH", f"{wells}/p{query}", body, media)
    assert answer.code == 400
    assert "exceeded max depth" in answer.message


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (BOMB, "yaml: document contains excessive aliasing"),
        (TEXT + b"data: &a {x: *a}\n", "yaml: anchor 'a' value contains itself"),
        (TEXT + b"data: &a {<<: *a, x: y}\n", "yaml: anchor 'a' value contains itself"),
        (TEXT + b'data: {a: "\xff"}\n', "yaml: invalid leading UTF-8 octet"),
    ],
    ids=["bomb", "itself", "merged into itself", "no UTF-8"],
)
def test_a_yaml_bomb(wire: Wire, body: bytes, why: str) -> None:
    answer = wire.send("POST", f"{CONFIGS}?dryRun=All", body, YAML)
    assert (answer.code, answer.message) == (400, f"{UNRECOGNIZED}{why} {QUOTED_YAML}")


def test_a_yaml_bomb_to_apply(wire: Wire, target: str) -> None:
    answer = wire.send("PATCH", f"{target}?fieldManager=m", BOMB, APPLY)
    why = "yaml: document contains excessive aliasing"
    message = f"error decoding YAML: error converting YAML to JSON: {why}"
    assert (answer.code, answer.message) == (400, message)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param(config("a\\u0000b"), 422, id="NUL, escaped"),
        pytest.param(config("a\0b"), 400, id="NUL"),
        pytest.param(config(".."), 422, id="dots"),
        pytest.param(config("a/b"), 422, id="slash"),
        pytest.param(config("a" * 300), 422, id="long"),
        pytest.param(config("n").replace(b'"n"', b'"utf\xff"'), 422, id="no UTF-8 in a name"),
        pytest.param(config("n", b'"data":{"a":"\xff\xfe"}'), 201, id="no UTF-8 in a value"),
        pytest.param(config("n", b'"data":{"a":"\\ud800"}'), 201, id="half a surrogate"),
        pytest.param(config("n", b'"data":{"a":"b\\u0000c"}'), 201, id="NUL in a value"),
        pytest.param(b"\xef\xbb\xbf" + config("n"), 400, id="byte order mark"),
        pytest.param(b"", 400, id="nothing"),
        pytest.param(b"   ", 400, id="spaces"),
        pytest.param(b"\x00" * 100, 400, id="zeros"),
        pytest.param(config("n") + config("m"), 400, id="two objects"),
        pytest.param(b'"text"', 400, id="a string"),
        pytest.param(b"[]", 400, id="a list"),
        pytest.param(b"null", 422, id="null"),
        pytest.param(config("n")[:-1], 400, id="cut off"),
        pytest.param(config("n", b'"data":{"a":%s}' % (b"9" * 5000)), 400, id="5,000 digits"),
        pytest.param(config("n", b'"data":{"a":1e400}'), 400, id="1e400"),
        pytest.param(config("n", b'"data":{"a":%s}' % (b"1" * 1_000_000)), 400, id="a long number"),
    ],
)
def test_what_is_no_object(wire: Wire, body: bytes, code: int) -> None:
    fields = ["Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close"]
    head = wire.head(f"POST {CONFIGS}?dryRun=All HTTP/1.1", fields)
    assert answer_of(wire.exchange(head + body)).code == code


@pytest.mark.parametrize(("size", "code"), [(LIMIT, 201), (LIMIT + 1, 413), (5 * LIMIT // 3, 413)])
@pytest.mark.parametrize("pieces", [False, True], ids=["length", "chunks"])
def test_a_big_body(wire: Wire, size: int, code: int, pieces: bool) -> None:
    body = config("big")[:-1].ljust(size - 1) + b"}"
    path = f"{CONFIGS}?dryRun=All"
    if pieces:
        fields = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
        head = wire.head(f"POST {path} HTTP/1.1", [*fields, "Connection: close"])
        answer = answer_of(wire.exchange(head + chunked(body)))
    else:
        answer = wire.send("POST", path, body)
    assert answer.code == code
    if code == 413:
        assert answer.message == TOO_LARGE


@pytest.mark.parametrize("media", [MERGE, STRATEGIC, JSON_PATCH, APPLY])
def test_a_big_patch(wire: Wire, target: str, media: str) -> None:
    body = b'{"data":{"a":"%s"}}' % (b"x" * LIMIT)
    answer = wire.send("PATCH", f"{target}?fieldManager=m", body, media)
    assert (answer.code, answer.message) == (413, TOO_LARGE)


def test_objects_may_not_be_as_big_as_bodies(wire: Wire) -> None:
    rest = b'"data":{"a":"%s"}' % (b"x" * (1024 * 1024 + 1))
    answer = wire.send("POST", f"{CONFIGS}?dryRun=All", config("fat", rest))
    why = "[]: Too long: may not be more than 1048576 bytes"
    assert (answer.code, answer.message) == (422, f'ConfigMap "fat" is invalid: {why}')


def many(count: int, item: Any) -> bytes:
    """Give the same JSON many times, each with its number."""
    return b",".join(item % number for number in range(count))


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param(b'"data":{%s}' % many(20_000, b'"k%d":""'), id="keys"),
        pytest.param(b'"unknown":[%s]' % many(200_000, b"%d"), id="numbers"),
        pytest.param(b"%s" % many(20_000, b'"u%d":1'), id="unknown fields"),
    ],
)
def test_many_small_things(wire: Wire, rest: bytes) -> None:
    answer = wire.send("POST", f"{CONFIGS}?dryRun=All&fieldValidation=Ignore", config("many", rest))
    assert answer.code == 201


def test_many_owners(wire: Wire) -> None:
    owner = b'{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u%d"}'
    meta = b'"metadata":{"name":"owned","ownerReferences":[%s]}' % many(5000, owner)
    body = b'{"apiVersion":"v1","kind":"ConfigMap",%s}' % meta
    assert wire.send("POST", f"{CONFIGS}?dryRun=All", body).code == 201


def test_more_operations_than_a_json_patch_may_have(wire: Wire, target: str) -> None:
    body = b"[%s]" % many(10_001, b'{"op":"add","path":"/data","value":{"k%d":""}}')
    answer = wire.send("PATCH", target, body, JSON_PATCH)
    assert answer.code == 413
