from typing import Any

import pytest

from kedge.apiserver.crd.schema.compile import Body
from tests.unit.apiserver.crd.recording import lines, told

INT, TEXT = {"type": "integer"}, {"type": "string", "maxLength": 20}


def found(schema: dict[str, Any], new: Any, old: Any = None) -> list[str]:
    run = Body(schema).run_rules(new, old)
    assert run is not None
    return [str(error) for error in run.errors]


def spec(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    node = {
        "type": "object",
        "properties": {"a": INT, "m": {"type": "object", "additionalProperties": TEXT}},
        "x-kubernetes-validations": list(rules),
        **more,
    }
    return {"type": "object", "properties": {"spec": node}}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"message": " too small "}, 'spec: Invalid value: "object": too small'),
        ({}, 'spec: Invalid value: "object": failed rule: self.a > 5'),
        (
            {"messageExpression": "'a is ' + string(self.a)"},
            'spec: Invalid value: "object": a is 1',
        ),
        (
            {"messageExpression": "self.m['none']", "message": "instead"},
            'spec: Invalid value: "object": instead',
        ),
        ({"reason": "FieldValueForbidden", "message": "no"}, "spec: Forbidden: no"),
        ({"reason": "FieldValueRequired", "message": "yes"}, "spec: Required value: yes"),
        ({"reason": "FieldValueDuplicate"}, 'spec: Duplicate value: "object"'),
        ({"fieldPath": ".a", "message": "x"}, 'spec.a: Invalid value: "object": x'),
        ({"fieldPath": ".m['k.l']", "message": "x"}, 'spec.m[k.l]: Invalid value: "object": x'),
    ],
)
def test_a_broken_rule_is_told_as_it_asks(rule: dict[str, Any], expected: str) -> None:
    schema = spec({"rule": "self.a > 5", **rule})
    assert found(schema, {"spec": {"a": 1, "m": {}}}) == [expected]


def test_an_error_in_a_rule_is_told_with_the_rule() -> None:
    schema = spec({"rule": "self.m['x'] == 'y'"}, {"rule": "1 / self.a == 1", "message": "one"})
    assert found(schema, {"spec": {"a": 0, "m": {}}}) == [
        "spec: Invalid value: \"object\": no such key: x evaluating rule: self.m['x'] == 'y'",
        'spec: Invalid value: "object": division by zero evaluating rule: one',
    ]


def test_rules_stand_at_every_level() -> None:
    positive = {**INT, "x-kubernetes-validations": [{"rule": "self > 0", "message": "m"}]}
    schema = {
        "type": "object",
        "properties": {
            "l": {"type": "array", "items": positive},
            "o": {"type": "object", "additionalProperties": positive},
        },
    }
    assert found(schema, {"l": [1, 0], "o": {"x": 0, "y": 1}}) == [
        'l[1]: Invalid value: "integer": m',
        'o[x]: Invalid value: "integer": m',
    ]


def test_a_transition_rule_runs_where_there_was_a_value() -> None:
    schema = spec({"rule": "self.a >= oldSelf.a", "message": "shrinks"})
    new, old = {"spec": {"a": 1}}, {"spec": {"a": 2}}
    assert found(schema, new, old) == ['spec: Invalid value: "object": shrinks']
    assert found(schema, new, {}) == []
    assert found(schema, new) == []


def test_a_rule_may_ask_whether_there_was_a_value() -> None:
    rule = {
        "rule": "oldSelf.hasValue() || self.a == 1",
        "optionalOldSelf": True,
        "message": "begins at 1",
    }
    assert found(spec(rule), {"spec": {"a": 2}}) == ['spec: Invalid value: "object": begins at 1']
    assert found(spec(rule), {"spec": {"a": 2}}, {"spec": {"a": 5}}) == []


def test_items_of_a_map_list_are_compared_by_their_keys() -> None:
    item = {
        "type": "object",
        "required": ["name"],
        "properties": {"name": TEXT, "v": INT},
        "x-kubernetes-validations": [{"rule": "self.v >= oldSelf.v", "message": "shrinks"}],
    }
    schema = {
        "type": "object",
        "properties": {
            "l": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "items": item,
            }
        },
    }
    old = {"l": [{"name": "a", "v": 5}, {"name": "b", "v": 1}]}
    new = {"l": [{"name": "b", "v": 2}, {"name": "a", "v": 4}, {"name": "c", "v": 0}]}
    assert found(schema, new, old) == ['l[1]: Invalid value: "object": shrinks']


def test_a_schema_without_rules_has_nothing_to_run() -> None:
    assert Body({"type": "object"}).run_rules({}) is None


@pytest.mark.parametrize("case", lines("rules"), ids=lambda case: str(case["schema"])[:60])
def test_rules_fail_as_they_do_in_kubernetes(case: Any) -> None:
    run = Body(case["schema"]).run_rules(case["new"], case.get("old"))
    assert run is not None
    assert told(run.errors) == case["errors"]
