"""A Binding puts a pod on a node once, in the words of a real server when it cannot."""

import copy

import pytest

from kedge.apiserver.builtin.pods.binding import bind, check_binding
from kedge.apiserver.resource import Object
from kedge.kube.errors import ApiError

NOW = "2024-01-01T00:00:00Z"
POD: Object = {
    "metadata": {"name": "b", "annotations": {"x": "y"}, "generation": 1},
    "spec": {"containers": [{"name": "c"}]},
    "status": {"phase": "Pending"},
}


def binding(target: Object | None = None, **metadata: Object) -> Object:
    return {"metadata": {"name": "b", **metadata}, "target": target or {}}


def test_sets_the_node_and_the_condition() -> None:
    pod = copy.deepcopy(POD)
    bind(pod, binding({"name": "n1"}, annotations={"a": "b"}, labels={"l": "m"}), NOW)
    assert pod["spec"]["nodeName"] == "n1"
    assert pod["metadata"] == {"name": "b", "annotations": {"x": "y", "a": "b"}, "generation": 1}
    assert pod["status"]["conditions"] == [
        {
            "type": "PodScheduled",
            "status": "True",
            "lastProbeTime": None,
            "lastTransitionTime": NOW,
        }
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"nodeName": "n1"}, 'pod b is already assigned to node "n1"'),
        ({"schedulingGates": [{"name": "g"}]}, "pod b has non-empty .spec.schedulingGates"),
    ],
)
def test_refuses_a_pod_that_cannot_be_bound(change: Object, why: str) -> None:
    pod = copy.deepcopy(POD)
    pod["spec"] |= change
    with pytest.raises(ApiError) as refused:
        bind(pod, binding({"name": "n2"}), NOW)
    status = refused.value.status
    assert status["message"] == f'Operation cannot be fulfilled on pods/binding "b": {why}'
    assert status["reason"] == "Conflict"
    assert status["details"] == {"name": "b", "kind": "pods/binding"}


def test_refuses_a_pod_that_is_being_deleted() -> None:
    pod = copy.deepcopy(POD)
    pod["metadata"]["deletionTimestamp"] = NOW
    with pytest.raises(ApiError, match="pod b is being deleted, cannot be assigned to a host"):
        bind(pod, binding({"name": "n"}), NOW)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({}, "target.name: Required value"),
        (
            {"kind": "Foo", "name": "n"},
            'target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>"',
        ),
    ],
)
def test_answers_a_bad_target_with_a_bare_500(target: Object, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        check_binding(binding(target))
    assert refused.value.code == 500
    assert refused.value.status["message"] == message
    assert "reason" not in refused.value.status


@pytest.mark.parametrize("kind", ["", "Node"])
def test_takes_a_node(kind: str) -> None:
    check_binding(binding({"kind": kind, "name": "n"}))
