from typing import Any

import pytest

from kedge.apiserver.crd.schema.explain import Explainer
from kedge.apiserver.crd.schema.rule import read
from kedge.apiserver.crd.schema.twin import Twin


def texts(schema: dict[str, Any], value: Any, base: str = "") -> list[str]:
    faults = Explainer(base).run(read(schema), value, "", None).faults.values()
    return [str(fault) for fault in faults]


def spec(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"a": schema}}},
    }


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        pytest.param(
            {"type": "integer"},
            "x",
            'spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"',
            id="wrong type",
        ),
        pytest.param(
            {"type": "string"},
            None,
            'spec.a: Invalid value: "null": spec.a in body must be of type string: "null"',
            id="null",
        ),
        pytest.param(
            {"type": "integer", "minimum": 1},
            0,
            "spec.a: Invalid value: 0: spec.a in body should be greater than or equal to 1",
            id="too small",
        ),
        pytest.param(
            {"type": "number", "maximum": 5.5, "exclusiveMaximum": True},
            5.5,
            "spec.a: Invalid value: 5.5: spec.a in body should be less than 5.5",
            id="not below an exclusive maximum",
        ),
        pytest.param(
            {"type": "integer", "multipleOf": 3},
            4,
            "spec.a: Invalid value: 4: spec.a in body should be a multiple of 3",
            id="no multiple",
        ),
        pytest.param(
            {"type": "string", "enum": ["a", "b"]},
            "x",
            'spec.a: Unsupported value: "x": supported values: "a", "b"',
            id="not in the enum",
        ),
        pytest.param(
            {"type": "string", "maxLength": 5},
            "toolong",
            "spec.a: Too long: may not be more than 5 bytes",
            id="too long",
        ),
        pytest.param(
            {"type": "string", "pattern": "^a"},
            "b",
            "spec.a: Invalid value: \"b\": spec.a in body should match '^a'",
            id="pattern",
        ),
        pytest.param(
            {"type": "array", "maxItems": 1, "items": {"type": "string"}},
            ["a", "b"],
            "spec.a: Too many: 2: must have at most 1 item",
            id="too many items",
        ),
        pytest.param(
            {"type": "string", "format": "date"},
            "today",
            'spec.a: Invalid value: "today": spec.a in body must be of type date: "today"',
            id="format",
        ),
        pytest.param(
            {"type": "object", "minProperties": 1},
            {},
            "spec.a: Invalid value: 0: spec.a in body should have at least 1 properties",
            id="too few properties",
        ),
        pytest.param(
            {"x-kubernetes-int-or-string": True},
            True,
            'spec.a: Invalid value: "boolean": spec.a in body must be of type integer,string: '
            '"boolean"',
            id="neither integer nor string",
        ),
        pytest.param(
            {"type": "string", "not": {"enum": ["b"]}},
            "b",
            '<nil>: Invalid value: "": "spec.a" must not validate the schema (not)',
            id="not",
        ),
    ],
)
def test_a_broken_rule_is_told_in_kubernetes_words(
    schema: dict[str, Any], value: Any, expected: str
) -> None:
    assert texts(spec(schema), {"spec": {"a": value}}) == [expected]


def test_of_several_alternatives_the_nearest_is_explained() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "oneOf": [
            {"required": ["a", "c"]},
            {"required": ["a"], "properties": {"b": {"minLength": 9}}},
        ],
    }
    found = texts({"type": "object", "properties": {"s": schema}}, {"s": {"a": "x", "b": "y"}})
    assert found == [
        '<nil>: Invalid value: "": "s" must validate one and only one schema (oneOf). '
        "Found none valid",
        's.b: Invalid value: "y": s.b in body should be at least 9 chars long',
    ]


def test_missing_fields_are_named_by_their_place() -> None:
    schema = {"type": "object", "required": ["spec"]}
    assert texts(schema, {}) == ["spec: Required value"]
    assert texts(schema, {}, "status") == ["status.spec: Required value"]


def test_an_integer_is_compared_with_the_whole_part_of_a_bound() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "maximum": 5.9}}}
    assert texts(schema, {"a": 6}) == [
        "a: Invalid value: 6: a in body should be less than or equal to 5"
    ]


def test_what_has_not_changed_may_stay_wrong() -> None:
    rule = read(spec({"type": "string", "maxLength": 1}))
    old = {"spec": {"a": "long"}}
    same = Explainer().run(
        rule, {"spec": {"a": "long"}}, "", Twin({"spec": {"a": "long"}}, old, rule)
    )
    other_value = {"spec": {"a": "other"}}
    other = Explainer().run(rule, other_value, "", Twin(other_value, old, rule))
    assert not same.faults
    assert [str(fault) for fault in other.faults.values()] == [
        "spec.a: Too long: may not be more than 1 byte"
    ]
