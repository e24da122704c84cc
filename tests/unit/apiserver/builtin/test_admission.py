"""Pods get their priority and what their runtime class wants, as from a real server."""

from typing import Any

import pytest

from kedge.apiserver.builtin.pods.admission import admit_pod, check_overhead, settle
from kedge.apiserver.resource import Object
from kedge.kube.errors import ApiError

CLASSES: list[Object] = [
    {"metadata": {"name": "high"}, "value": 1000, "preemptionPolicy": "Never"},
    {"metadata": {"name": "usual"}, "value": 5, "globalDefault": True},
    {"metadata": {"name": "mean"}, "value": 3, "globalDefault": True},
]
RUNTIMES: list[Object] = [
    {"metadata": {"name": "plain"}, "handler": "h"},
    {
        "metadata": {"name": "heavy"},
        "handler": "h",
        "overhead": {"podFixed": {"cpu": "250m"}},
        "scheduling": {"nodeSelector": {"vm": "yes"}, "tolerations": [{"key": "vm"}]},
    },
]


def objects(group: str, plural: str) -> list[Object]:
    known = {"scheduling.k8s.io": CLASSES, "node.k8s.io": RUNTIMES}
    assert plural in ("priorityclasses", "runtimeclasses")
    return known[group]


def pod(**spec: Any) -> Object:
    return {"metadata": {"name": "p"}, "spec": {"containers": [], **spec}}


def admitted(listed: Any = objects, **spec: Any) -> Object:
    obj = pod(**spec)
    admit_pod(obj, listed)
    settle(obj)
    got: Object = obj["spec"]
    return got


def refusal(**spec: Any) -> str:
    with pytest.raises(ApiError) as refused:
        admitted(**spec)
    assert refused.value.code == 403
    message: str = refused.value.status["message"]
    prefix = 'pods "p" is forbidden: '
    assert message.startswith(prefix)
    return message.removeprefix(prefix)


def test_a_pod_without_class_has_priority_0() -> None:
    spec = admitted(lambda group, plural: [])
    assert (spec["priority"], spec["preemptionPolicy"]) == (0, "PreemptLowerPriority")
    assert "priorityClassName" not in spec


def test_a_pod_takes_the_lowest_default_class() -> None:
    spec = admitted()
    assert (spec["priorityClassName"], spec["priority"]) == ("mean", 3)


def test_a_pod_gets_the_values_of_its_class() -> None:
    spec = admitted(priorityClassName="high")
    assert (spec["priority"], spec["preemptionPolicy"]) == (1000, "Never")
    assert admitted(priorityClassName="system-node-critical")["priority"] == 2000001000


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"priorityClassName": "none"}, "no PriorityClass with name none was found"),
        (
            {"priorityClassName": "high", "priority": 1},
            "the integer value of priority (1) must not be provided in pod spec; priority "
            "admission controller computed 1000 from the given PriorityClass name",
        ),
        (
            {"priorityClassName": "high", "preemptionPolicy": "PreemptLowerPriority"},
            "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in "
            "pod spec; priority admission controller computed Never from the given PriorityClass "
            "name",
        ),
        ({"runtimeClassName": "none"}, 'pod rejected: RuntimeClass "none" not found'),
        (
            {"runtimeClassName": "heavy", "overhead": {"cpu": "1"}},
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ),
        (
            {"runtimeClassName": "heavy", "nodeSelector": {"vm": "no"}},
            "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; "
            "pod.spec.nodeSelector[vm] = no",
        ),
    ],
)
def test_refuses(spec: Object, why: str) -> None:
    assert refusal(**spec) == why


def test_a_pod_stays_on_a_bad_node_for_five_minutes() -> None:
    added = [
        {
            "key": f"node.kubernetes.io/{name}",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 300,
        }
        for name in ("not-ready", "unreachable")
    ]
    assert admitted()["tolerations"] == added
    own = {"key": "node.kubernetes.io/not-ready", "operator": "Exists"}
    assert admitted(tolerations=[own])["tolerations"] == [own, added[1]]
    all_ = {"operator": "Exists"}
    assert admitted(tolerations=[all_])["tolerations"] == [all_]


def test_a_runtime_class_adds_its_overhead_and_its_nodes() -> None:
    spec = admitted(runtimeClassName="heavy", nodeSelector={"disk": "ssd"})
    assert spec["overhead"] == {"cpu": "250m"}
    assert spec["nodeSelector"] == {"disk": "ssd", "vm": "yes"}
    assert spec["tolerations"][0] == {"key": "vm"}


def test_overhead_needs_a_runtime_class_that_has_it() -> None:
    check_overhead(pod(), objects)
    check_overhead(pod(runtimeClassName="heavy", overhead={"cpu": "250m"}), objects)
    for spec in ({}, {"runtimeClassName": "plain"}):
        with pytest.raises(ApiError, match="without corresponding RuntimeClass"):
            check_overhead(pod(overhead={"cpu": "1"}, **spec), objects)
