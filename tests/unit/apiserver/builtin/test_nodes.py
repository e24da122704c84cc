"""Nodes are not ready when they come, and keep what a kubelet tells."""

from kedge.apiserver.builtin.nodes import NOT_READY, NodeStrategy
from kedge.apiserver.resource import Context, Object

HOOKS = NodeStrategy()


def test_a_new_node_is_not_ready() -> None:
    obj: Object = {"metadata": {"name": "n"}, "spec": {}, "status": {"phase": "Running"}}
    HOOKS.prepare_create(obj, Context())
    assert obj["spec"]["taints"] == [NOT_READY]
    assert obj["status"] == {"phase": "Running"}
    obj["spec"]["taints"][0]["value"] = "x"
    assert "value" not in NOT_READY


def test_a_taint_that_is_there_is_not_doubled() -> None:
    taints = [{**NOT_READY, "value": "x"}]
    obj: Object = {"metadata": {"name": "n"}, "spec": {"taints": taints}, "status": {}}
    HOOKS.prepare_create(obj, Context())
    assert obj["spec"]["taints"] == taints


def test_what_can_be_used_is_what_there_is_unless_told() -> None:
    obj: Object = {"metadata": {}, "status": {"capacity": {"cpu": "4"}}}
    HOOKS.default(obj)
    assert obj["status"]["allocatable"] == {"cpu": "4"}


def test_nodes_are_selected_by_whether_pods_may_come() -> None:
    assert HOOKS.select({"spec": {}}, "spec.unschedulable") is False
    assert HOOKS.select({"spec": {"unschedulable": True}}, "spec.unschedulable") is True
