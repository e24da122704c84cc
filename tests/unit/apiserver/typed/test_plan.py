"""The compiled decoder gives what the reference gives, or steps aside."""

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kedge.apiserver.kinds.schemas import schema_of, schema_of_kind
from kedge.apiserver.typed.decode import decode, decode_exactly, may_have_doubles
from kedge.apiserver.typed.plan import Irregular, plan_of
from kedge.apiserver.typed.zero import CUSTOM, is_struct
from kedge.kube.schema import Schema

KINDS = [
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("v1", "Event"),
    ("v1", "LimitRange"),
    ("apps/v1", "Deployment"),
    ("batch/v1", "CronJob"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("discovery.k8s.io/v1", "EndpointSlice"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
]
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "int32": st.sampled_from([0, 1, -1, 2**31 - 1]),
    "int64": st.sampled_from([0, 7, 2**63 - 1]),
    "byte": st.sampled_from(["", "YQ==", "YWJj", "YQ==\n"]),
    "date-time": st.sampled_from(["2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00"]),
    "micro-time": st.just("2024-01-01T00:00:00.000001Z"),
    "quantity": st.sampled_from(["1", "0.5", "1024Mi", 3]),
    "int-or-string": st.sampled_from([80, "http"]),
    "raw": st.sampled_from([{"a": {"b": [1]}}, {}]),
    "fields": st.just({"f:a": {".": {}}}),
    "json": st.sampled_from([1, "x", {"a": None}]),
    "double": st.sampled_from([1, 2.5]),
    "string": st.sampled_from(["", "a", "é\n"]),
    "boolean": st.booleans(),
}


def values(schema: Schema, depth: int = 0) -> st.SearchStrategy[Any]:
    made = _values(schema, depth)
    return made | st.none() if depth else made


def _values(schema: Schema, depth: int) -> st.SearchStrategy[Any]:
    if schema.format in SCALARS:
        return SCALARS[schema.format]
    if schema.format in CUSTOM:
        return st.just({"type": "string"})
    if is_struct(schema):
        return st.deferred(lambda: _structs(schema, depth))
    if schema.additional is not None:
        element = values(schema.additional, depth + 1)
        return st.dictionaries(st.sampled_from("abc"), element, max_size=2)
    if schema.items is not None:
        return st.lists(values(schema.items, depth + 1), max_size=2)
    return SCALARS[schema.type]


def _structs(schema: Schema, depth: int) -> st.SearchStrategy[Any]:
    names = [name for name in schema.fields if name not in {"kind", "apiVersion"}]
    most = 0 if depth > 7 or not names else 4
    chosen = st.lists(st.sampled_from(names), max_size=most, unique=True) if names else st.just([])
    return chosen.flatmap(
        lambda some: st.fixed_dictionaries(
            {name: values(schema.fields[name], depth + 1) for name in some}
        )
    )


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_the_plan_agrees_with_the_reference(data: st.DataObject) -> None:
    schema = schema_of_kind(*data.draw(st.sampled_from(KINDS)))
    assert schema is not None
    obj = data.draw(values(schema))
    text = msgspec.json.encode(obj)
    exact = decode_exactly(schema, copy.deepcopy(obj))
    found = decode(schema, obj, text)
    assert found.obj == exact.obj
    assert found.strict == exact.strict == []


@given(data=st.data())
@settings(max_examples=50, deadline=None)
def test_decoding_what_was_decoded_changes_nothing(data: st.DataObject) -> None:
    schema = schema_of_kind(*data.draw(st.sampled_from(KINDS)))
    assert schema is not None
    once = decode(schema, data.draw(values(schema))).obj
    assert decode(schema, copy.deepcopy(once)).obj == once


@pytest.mark.parametrize(
    "obj",
    [
        {"data": {"a": 1}},
        {"data": []},
        {"immutable": 0},
        {"metadata": {"generation": 2**63}},
        {"metadata": {"generation": 1.0}},
        {"binaryData": {"a": "!"}},
        {"unknown": None},
        {"metadata": {"creationTimestamp": "yesterday"}},
        [],
    ],
)
def test_the_plan_steps_aside_for_what_is_not_as_it_should_be(obj: Any) -> None:
    with pytest.raises(Irregular):
        plan_of(schema_of("io.k8s.api.core.v1.ConfigMap"))(obj, [0])


def test_the_plan_counts_the_keys_of_all_objects() -> None:
    count = [0]
    obj = {"metadata": {"labels": {"a": "b"}, "managedFields": [{"fieldsV1": {"f:a": {".": {}}}}]}}
    plan_of(schema_of("io.k8s.api.core.v1.ConfigMap"))(obj, count)
    assert count == [7]


@pytest.mark.parametrize(
    ("text", "keys", "expected"),
    [
        (b'{"a":1,"b":{"c":2}}', 3, False),
        (b'{"a":1,"a":2}', 1, True),
        (b'{"a": 1, "b": 2}', 2, False),
        (rb'{"a":"{\"x\":1}"}', 1, False),
        (rb'{"a":"{\"x\":1}","a":1}', 1, True),
        (b'{"a" :1}', 1, True),
        (rb'{"a\\":1,"b\":":2}', 2, True),
    ],
)
def test_doubled_keys_are_suspected_wherever_they_may_be(
    text: bytes, keys: int, expected: bool
) -> None:
    assert may_have_doubles(text, keys) is expected
