"""Custom resources are plain objects with decoded metadata."""

from typing import Any

import pytest

from kedge.apiserver.typed.body import JSON
from kedge.apiserver.typed.interpret import Kind
from kedge.apiserver.typed.unstructured import coerce_meta, read_custom, settle
from kedge.kube.errors import BadRequest

FOO = Kind("example.com", "v1", "Foo")
HEAD = '"apiVersion":"example.com/v1","kind":"Foo",'


def test_complaints_come_in_the_order_of_a_real_server() -> None:
    body = f'{{{HEAD}"metadata":{{"name":"a","z":1,"y":2}},"spec":{{"a":1,"a":2}}}}'
    decoded = read_custom(body.encode(), JSON, FOO, lambda obj: ["spec.pruned"], "Warn")
    assert decoded.strict == [
        'duplicate field "spec.a"',
        'unknown field "metadata.y"',
        'unknown field "metadata.z"',
        'unknown field "spec.pruned"',
    ]
    assert decoded.obj["metadata"] == {"name": "a"}
    assert decoded.obj["spec"] == {"a": 2}


def test_another_kind_is_not_pruned_by_this_ones_schema() -> None:
    def prune(obj: dict[str, Any]) -> list[str]:
        raise AssertionError

    body = b'{"apiVersion":"example.com/v1","kind":"Bar","metadata":{"name":"a"}}'
    assert read_custom(body, JSON, FOO, prune, "Warn").obj["kind"] == "Bar"


def test_a_body_deeper_than_python_goes_is_refused() -> None:
    deep = "[" * 5000 + "]" * 5000
    with pytest.raises(BadRequest, match="exceeded max depth"):
        read_custom(f'{{{HEAD}"spec":{deep}}}'.encode(), JSON, FOO, lambda obj: [], "Warn")


def test_integers_beyond_64_bits_are_floats() -> None:
    value: dict[str, Any] = {"a": [2**63, 2**63 - 1], "b": {"c": -(2**63) - 1}}
    assert settle(value) == 3
    assert [type(item) for item in value["a"]] == [float, int]
    assert type(value["b"]["c"]) is float


def test_metadata_within_an_object_is_named_by_its_path() -> None:
    obj: dict[str, Any] = {"metadata": {"labels": {}, "foo": 1}}
    assert coerce_meta(obj, "spec.template.") == ["spec.template.metadata.foo"]
    assert obj == {"metadata": {}}


def test_an_object_without_metadata_gets_none() -> None:
    obj: dict[str, Any] = {}
    assert coerce_meta(obj) == []
    assert obj == {}
