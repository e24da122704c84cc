"""Bodies, good and bad, are taken or refused as a real kube-apiserver 1.34 took or refused them."""

import json
from pathlib import Path
from typing import Any

import pytest

from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.typed.convert import convert
from kedge.apiserver.typed.decode import Decoded
from kedge.apiserver.typed.interpret import Kind
from kedge.apiserver.typed.options import read_delete_options
from kedge.apiserver.typed.patched import (
    arranged,
    decode_patched,
    in_go_order,
    patched_text,
    touched_by_merge,
    touched_by_operations,
)
from kedge.apiserver.typed.reading import read_typed
from kedge.apiserver.typed.unstructured import read_custom
from kedge.kube.errors import ApiError, BadRequest
from kedge.kube.goerror import GoError
from kedge.kube.gotext import quote, to_text
from kedge.kube.schema import Schema

HERE = Path(__file__).parent


def rows(name: str) -> list[Any]:
    return [json.loads(line) for line in (HERE / name).read_text().splitlines()]


def schema_for(kind: Kind) -> Schema:
    schema = schema_of_kind(kind.api_version, kind.kind)
    assert schema is not None
    return schema


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row["body"][:60]) for row in rows("bodies.jsonl")]
)
def test_a_body_of_a_built_in_kind_is_answered_as_it_was(row: Any) -> None:
    kind = Kind(*row["kind"])
    body = row["body"].encode("latin1")
    if row["error"] is not None:
        with pytest.raises(BadRequest) as caught:
            read_typed(body, row["media"], kind, schema_for(kind), row["mode"])
        assert caught.value.message == row["error"]
        return
    decoded = read_typed(body, row["media"], kind, schema_for(kind), row["mode"])
    assert decoded.strict == row["warnings"]
    assert (decoded.obj["kind"], decoded.obj["apiVersion"]) == (kind.kind, kind.api_version)


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row["body"][:60]) for row in rows("custom.jsonl")]
)
def test_a_body_of_a_custom_kind_is_answered_as_it_was(row: Any) -> None:
    def read() -> Decoded:
        wanted = Kind("tz.io", "v1", "Foo")
        return read_custom(row["body"].encode(), row["media"], wanted, lambda obj: [], row["mode"])

    if row["error"] is not None:
        with pytest.raises(BadRequest) as caught:
            read()
        assert caught.value.message == row["error"]
        return
    decoded = read()
    assert decoded.strict == row["warnings"]
    meta = decoded.obj.get("metadata", {})
    assert row["meta"] is None or {name: meta.get(name) for name in row["meta"]} == row["meta"]


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row["body"]) for row in rows("options.jsonl")]
)
def test_options_of_a_deletion_are_answered_as_they_were(row: Any) -> None:
    if row["error"] is None:
        assert isinstance(read_delete_options(row["body"].encode(), row["media"]), dict)
        return
    with pytest.raises(ApiError) as caught:
        read_delete_options(row["body"].encode(), row["media"])
    error = caught.value
    assert (error.code, error.reason, error.message) == (500, "", row["error"])


RECORDED = json.loads((HERE / "patches.json").read_text())
KINDS = {"configmap": Kind("", "v1", "ConfigMap"), "deployment": Kind("apps", "v1", "Deployment")}


def merged(old: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    result = dict(old) if isinstance(old, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def applied(old: Any, operations: list[Any]) -> Any:
    # Enough of RFC 6902 for the recorded patches.
    for operation in operations:
        value = operation.get("value")
        if operation["op"] == "copy":
            value = old
            for step in operation["from"].split("/")[1:]:
                value = value[step]
        *way, last = operation["path"].split("/")[1:]
        target = old
        for step in way:
            target = target[step]
        target[last] = value
    return old


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{row['how']} {row['patch']}") for row in RECORDED["rows"]]
)
def test_what_a_patch_makes_is_answered_as_it_was(row: Any) -> None:
    kind = KINDS[row["object"]]
    schema = schema_for(kind)
    old = in_go_order(schema, RECORDED["objects"][row["object"]])
    if row["how"] == "json":
        new, touched = applied(old, row["patch"]), touched_by_operations(row["patch"])
    else:
        new, touched = merged(old, row["patch"]), touched_by_merge(row["patch"])
    value = to_text(row["patch"]) if row["how"] == "strategic-merge" else patched_text(new, touched)

    def take() -> None:
        if row["how"] == "strategic-merge":
            convert(schema, new)
        else:
            decode_patched(schema, arranged(new, touched), kind)

    if row["error"] is None:
        take()
        return
    with pytest.raises(GoError) as caught:
        take()
    told = f' "" is invalid: patch: Invalid value: {quote(value)}: {caught.value.text}'
    assert told == row["error"]
