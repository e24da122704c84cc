from typing import Any

import pytest

from kedge.apiserver.resource import Context, Resource
from tests.unit.apiserver.crd.samples import served, thing, version

MAIN, STATUS = Context("default"), Context("default", "status")
SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "maximum": 9},
                "color": {"type": "string", "default": "red"},
                "list": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}},
                    },
                },
            },
        },
        "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
    },
}


def resource(has_status: bool = True, schema: Any = SPEC, **more: Any) -> Resource:
    if has_status:
        more["subresources"] = {"status": {}, **(more.get("subresources") or {})}
    return served(version(schema=schema, **more))[0]


def texts(errors: list[Any]) -> list[str]:
    return [str(error) for error in errors]


def test_the_status_is_dropped_on_create_only_where_it_has_its_own_endpoint() -> None:
    for has_status in (True, False):
        obj = thing({"size": 1}, status={"ready": True})
        resource(has_status).strategy.prepare_create(obj, MAIN)
        assert ("status" in obj) is not has_status


def test_an_update_keeps_the_status() -> None:
    strategy = resource().strategy
    new, old = thing({"size": 2}, status={"ready": False}), thing(status={"ready": True})
    strategy.prepare_update(new, old, MAIN)
    assert new["status"] == {"ready": True}
    fresh = thing({"size": 2}, status={"ready": False})
    strategy.prepare_update(fresh, thing(), MAIN)
    assert "status" not in fresh


def test_an_update_of_the_status_keeps_all_else_but_who_owns_what() -> None:
    old = thing({"size": 1}, status={"ready": False})
    old["metadata"]["labels"] = {"a": "b"}
    new = thing({"size": 5}, status={"ready": True})
    meta = new["metadata"]
    meta.update(labels={"c": "d"}, managedFields=[{"manager": "m"}])
    resource().strategy.prepare_update(new, old, STATUS)
    assert new["metadata"] is meta
    assert meta["labels"] == {"a": "b"}
    assert meta["managedFields"] == [{"manager": "m"}]
    assert new["spec"] == {"size": 1}
    assert new["status"] == {"ready": True}


@pytest.mark.parametrize(
    ("has_status", "change", "moves"),
    [
        pytest.param(True, {"spec": {"size": 2}}, True, id="spec"),
        pytest.param(True, {"status": {"ready": True}}, False, id="separate status"),
        pytest.param(False, {"status": {"ready": True}}, True, id="status as any field"),
        pytest.param(True, {"data": 1}, True, id="a field of another name"),
        pytest.param(False, {"metadata": {"name": "a", "labels": {}}}, False, id="metadata"),
    ],
)
def test_the_generation_moves_with_what_is_not_metadata(
    has_status: bool, change: dict[str, Any], moves: bool
) -> None:
    old = thing({"size": 1})
    assert resource(has_status).strategy.has_changed({**old, **change}, old) is moves


def test_the_status_endpoint_checks_the_status_by_itself() -> None:
    strategy = resource().strategy
    old = thing({"size": 99}, status={"ready": True})
    new = {**old, "status": {"ready": "yes"}}
    assert texts(strategy.validate_update(new, old, STATUS)) == [
        'status.ready: Invalid value: "string": ready in body must be of type boolean: "string"'
    ]


def test_doubled_keys_are_found_unless_they_were_there_before() -> None:
    strategy = resource().strategy
    doubled = thing({"size": 1, "list": [{"name": "x"}, {"name": "x"}]})
    message = 'spec.list[1]: Duplicate value: {"name":"x"}'
    assert texts(strategy.validate(doubled, MAIN)) == [message]
    assert texts(strategy.validate_update(doubled, thing({"size": 1}), MAIN)) == [message]
    assert strategy.validate_update(thing(doubled["spec"]), doubled, MAIN) == []


def test_defaults_are_filled_in() -> None:
    obj = thing({"size": 1})
    resource().strategy.default(obj)
    assert obj["spec"]["color"] == "red"


RULES = {
    **SPEC,
    "properties": {
        **SPEC["properties"],
        "spec": {
            **SPEC["properties"]["spec"],
            "x-kubernetes-validations": [
                {"rule": "self.size % 2 == 0", "message": "must be even"},
                {"rule": "self.size >= oldSelf.size", "message": "may not shrink"},
            ],
        },
    },
}


def test_rules_run_when_the_types_are_right() -> None:
    strategy = resource(schema=RULES).strategy
    assert texts(strategy.validate(thing({"size": 3}), MAIN)) == [
        'spec: Invalid value: "object": must be even'
    ]
    found = texts(strategy.validate(thing({"size": "3"}), MAIN))
    assert found[-1] == (
        "<nil>: Invalid value: null: some validation rules were not checked because the object was "
        "invalid; correct the existing errors to complete validation"
    )


def test_a_rule_that_was_broken_before_is_only_warned_of() -> None:
    strategy = resource(schema=RULES).strategy
    old = thing({"size": 3})
    same, bigger, smaller = thing({"size": 3}), thing({"size": 5}), thing({"size": 2})
    assert strategy.validate_update(same, old, MAIN) == []
    assert strategy.warnings(same, old) == ['spec: Invalid value: "object": must be even']
    assert texts(strategy.validate_update(bigger, old, MAIN)) == [
        'spec: Invalid value: "object": must be even'
    ]
    assert texts(strategy.validate_update(smaller, old, MAIN)) == [
        'spec: Invalid value: "object": may not shrink'
    ]


def test_finalizers_without_a_domain_are_warned_of() -> None:
    obj = thing({"size": 1})
    obj["metadata"]["finalizers"] = ["example.com/x", "plain", "a.b", "kubernetes"]
    ending = "to avoid accidental conflicts with other finalizer writers"
    assert resource().strategy.warnings(obj, None) == [
        'metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) '
        + ending,
        f'metadata.finalizers: "plain": prefer a domain-qualified finalizer name {ending}',
    ]
    assert resource().strategy.warnings(obj, obj) == []


def test_scale_is_checked_with_the_object() -> None:
    paths = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.count"}
    strategy = resource(subresources={"scale": paths}).strategy
    assert texts(strategy.validate(thing({"size": -1}), MAIN)) == [
        ".spec.size: Invalid value: -1: should be a non-negative integer"
    ]


def test_fields_are_selected_as_text() -> None:
    strategy = resource().strategy
    obj = thing({"size": 1, "on": True})
    assert [strategy.select(obj, path) for path in ("spec.size", "spec.on", "spec.no")] == [
        "1",
        "true",
        None,
    ]
