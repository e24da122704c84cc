"""A patched custom object may share parts with the one it was made from, which stays as it was."""

from copy import deepcopy
from typing import Any

import msgspec
import pytest

from kedge.apiserver.auth.users import NOBODY
from kedge.apiserver.call import Call
from kedge.apiserver.crd.resource import resources_of
from kedge.apiserver.filling import fill_in
from kedge.apiserver.http.accept import Accept
from kedge.apiserver.http.query import Query
from kedge.apiserver.patches import JSON_PATCH, MERGE, Subject, patch
from kedge.apiserver.resource import Resource

SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "default": 1},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "parts": {"type": "array", "items": {"type": "object", "properties": {}}},
            },
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    },
}
OWNERS = [{"manager": "a", "operation": "Update", "fieldsV1": {"f:spec": {"f:size": {}}}}]
OLD = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "a", "labels": {"x": "y"}, "managedFields": OWNERS},
    "spec": {"size": 2, "free": {"any": [{"deep": True}]}, "parts": [{}]},
}


def widgets() -> Resource:
    names = {"kind": "Widget", "plural": "widgets", "listKind": "WidgetList"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}}
    crd = {
        "metadata": {"name": "widgets.example.com", "generation": 1},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": names,
            "versions": [{**version, "subresources": {"status": {}}}],
        },
        "status": {
            "acceptedNames": names,
            "conditions": [{"type": "Established", "status": "True"}],
        },
    }
    return resources_of(crd)[0]


def patched(change: Any, media: str, base: dict[str, Any] | None) -> dict[str, Any]:
    resource = widgets()
    call = Call("patch", resource, "ns", "a", "", Query(""), Accept(), NOBODY)
    call.body, call.media = msgspec.json.encode(change), media
    new = patch(call, media, Subject.of(resource), lambda: deepcopy(OLD), "Warn", base)
    return fill_in(call, new, call.empties)


CHANGES = [
    {"status": {"phase": "Ready"}},
    {"metadata": {"resourceVersion": "3"}, "status": {"phase": "Ready"}},
    {"metadata": {"labels": {"x": None, "z": "1"}, "annotations": {"a": "b"}}},
    {"metadata": {"managedFields": []}},
    {"metadata": {"managedFields": None}},
    {"metadata": {"managedFields": [{"manager": "b", "operation": "Update"}]}},
    {"spec": {"size": None, "unknown": 1, "free": {"any": None, "more": {"a": None}}}},
    {"spec": {"parts": [{"unknown": 1}]}},
    {"spec": None},
    {},
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_shared_makes_no_difference_and_is_left_alone(change: Any) -> None:
    old = deepcopy(OLD)
    new = patched(change, MERGE, old)
    assert new == patched(change, MERGE, None)
    new["metadata"]["managedFields"] = []
    new["metadata"]["name"] = "other"
    assert old == OLD


def test_what_a_merge_patch_leaves_alone_is_shared() -> None:
    old = deepcopy(OLD)
    new = patched({"status": {"phase": "Ready"}}, MERGE, old)
    assert new["spec"] is old["spec"]
    assert new["metadata"] is not old["metadata"]


def test_a_json_patch_changes_a_copy() -> None:
    old = deepcopy(OLD)
    change = [{"op": "add", "path": "/spec/free/any/0/deep", "value": False}]
    assert patched(change, JSON_PATCH, old)["spec"]["free"] == {"any": [{"deep": False}]}
    assert old == OLD
