"""Single steps as Kubernetes' own code answers them.

Each line of recorded.jsonl is one write or apply, with the live object before it, and what the
field manager of Kubernetes 1.34 (structured-merge-diff 6.3) made of it: managedFields, the merged
object, or the error. All times are one and the same.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.kube.apply import Manager, apply, track
from kedge.kube.apply.sets import of_paths
from kedge.kube.errors import ApiError
from kedge.kube.schema import UNSET, Schema
from tests.unit.kube.apply.shapes import NOW, Object

LINES = Path(__file__).with_name("recorded.jsonl").read_text(encoding="utf-8").splitlines()
STEPS = [
    pytest.param(json.loads(line), id=f"{number}") for number, line in enumerate(LINES, start=1)
]


def schema_from(spec: Mapping[str, Any]) -> Schema:
    """Read the part of OpenAPI that the recorded schemas use."""
    has_number_or_text = spec.get("x-kubernetes-int-or-string")
    properties = spec.get("properties") or {}
    more = spec.get("additionalProperties")
    items = spec.get("items")
    return Schema(
        type=spec.get("type", ""),
        format="int-or-string" if has_number_or_text else "",
        declared={name: schema_from(child) for name, child in properties.items()},
        additional=schema_from(more) if more else None,
        items=schema_from(items) if items else None,
        preserve=bool(spec.get("x-kubernetes-preserve-unknown-fields")),
        embedded="$ref" in properties.get("metadata", {}),
        default=spec.get("default", UNSET),
        list_type=spec.get("x-kubernetes-list-type", "atomic"),
        list_keys=tuple(spec.get("x-kubernetes-list-map-keys", ())),
        map_type=spec.get("x-kubernetes-map-type", "granular"),
    )


def schema_of(step: Object) -> Schema:
    group, version, kind = step["gvk"]
    if "spec" not in step:
        schema = schema_of_kind(f"{group}/{version}" if group else version, kind)
        assert schema is not None
        return schema
    status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    root = {"type": "object", "properties": {"spec": step["spec"], "status": status}}
    return schema_from(root)


def manager_of(step: Object) -> Manager:
    group, version, kind = step["gvk"]
    paths = [[f"f:{name}" for name in path] for path in step.get("reset", [])]
    return Manager(
        step["manager"],
        f"{group}/{version}" if group else version,
        step.get("sub", ""),
        kind=kind,
        reset=of_paths(*paths) or None,
    )


def by_owner(details: Object | None) -> list[Object]:
    """Sort causes by owner only: Kubernetes names the owners in no order."""
    assert details is not None
    causes: list[Object] = details["causes"]
    return sorted(causes, key=lambda cause: str(cause["message"]))


def outcome(step: Object) -> tuple[list[Any], Object | None]:
    live, schema, manager = step.get("live"), schema_of(step), manager_of(step)
    if step["op"] == "update":
        return track(None, live, step["obj"], schema, manager, NOW), None
    result = apply(live, step["obj"], schema, manager, step.get("force", False), NOW)
    return result.managed, result.obj


@pytest.mark.parametrize("step", STEPS)
def test_a_step_ends_as_in_kubernetes(step: Object) -> None:
    before = json.dumps(step)
    if "error" in step:
        with pytest.raises(ApiError) as caught:
            outcome(step)
        assert caught.value.message == step["error"]
        if "causes" in step:
            assert by_owner(caught.value.details) == by_owner(step)
    else:
        managed, obj = outcome(step)
        assert managed == step["managed"]
        if obj is not None and "spec" in step:
            assert {**obj["metadata"], "uid": "u-1"} == step["result"].pop("metadata")
            assert {name: obj[name] for name in obj if name != "metadata"} == step["result"]
            return
    assert json.dumps(step) == before
