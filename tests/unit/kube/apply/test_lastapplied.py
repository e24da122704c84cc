"""kubectl goes over from client-side to server-side apply."""

import json
from typing import Any

import pytest

from kedge.kube.apply import apply
from kedge.kube.apply.lastapplied import ANNOTATION
from kedge.kube.errors import Conflict
from tests.unit.kube.apply.shapes import LATER, WIDGET, Object, created, manager, thing


def client_side(spec: Object, annotation: Any = None) -> Object:
    last = json.dumps(thing(spec)) if annotation is None else annotation
    obj = thing(spec)
    obj["metadata"]["annotations"] = {ANNOTATION: last, "other": "x"}
    return created(obj, "kubectl-client-side-apply")


def run(live: Object, spec: Object, who: str = "kubectl", **more: Any) -> Object:
    result = apply(live, {**thing(spec), **more}, WIDGET, manager(who), False, LATER)
    return result.obj


def test_kubectl_takes_what_it_once_applied() -> None:
    obj = run(client_side({"size": 1}), {"size": 2})
    assert obj["spec"]["size"] == 2


def test_another_manager_does_not() -> None:
    with pytest.raises(Conflict, match="kubectl-client-side-apply"):
        run(client_side({"size": 1}), {"size": 2}, "other")


def test_what_was_changed_since_conflicts() -> None:
    live = client_side({"size": 1, "color": "a"})
    live["spec"]["size"] = 5
    with pytest.raises(Conflict) as caught:
        run(live, {"size": 2, "color": "b"})
    assert caught.value.message.startswith("Apply failed with 1 conflict: ")
    assert caught.value.message.endswith(": .spec.size")


@pytest.mark.parametrize(
    "annotation",
    [
        "",
        "not json",
        "[]",
        '{"apiVersion":"other/v1"}',
        json.dumps(thing({"size": "x"})),
        json.dumps(thing({"parts": [{}]})),
    ],
)
def test_an_annotation_of_no_use_allows_nothing(annotation: str) -> None:
    with pytest.raises(Conflict):
        run(client_side({"size": 1}, annotation), {"size": 2})


def test_the_annotation_is_kept_up() -> None:
    live = client_side({"size": 1})
    last = live["metadata"]["annotations"][ANNOTATION]
    metadata = {"name": "w", "annotations": {ANNOTATION: last, "a": "<b>"}}
    obj = run(live, {"size": 1}, metadata=metadata)
    text = obj["metadata"]["annotations"][ANNOTATION]
    assert text == (
        '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"annotations":'
        '{"a":"\\u003cb\\u003e"},"name":"w"},"spec":{"size":1}}\n'
    )


def test_an_object_without_the_annotation_gets_none() -> None:
    assert "annotations" not in run(created(thing({"size": 1})), {"size": 1})["metadata"]


def test_an_annotation_that_grew_too_large_is_dropped() -> None:
    obj = run(client_side({"color": "a"}), {"color": "x" * 300_000})
    assert obj["metadata"]["annotations"] == {"other": "x"}
