"""kubectl with pods, nodes and events: objects work, and what would need a machine is refused."""

import pytest

from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.manifests import NODE, POD

EVENT = """
apiVersion: v1
kind: Event
metadata: {name: lonely.1}
type: Warning
reason: Stormy
message: waves are high
count: 3
involvedObject: {apiVersion: v1, kind: Pod, name: lonely, namespace: %s, uid: %s}
lastTimestamp: "2026-01-01T00:00:00Z"
"""


@pytest.fixture(scope="module")
def pod(kubectl: Kubectl) -> Kubectl:
    kubectl.apply(POD)
    return kubectl


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("exec lonely -- ls", "pods/exec is not available"),
        ("attach lonely", "pods/attach is not available"),
        ("top pods", "Metrics API not available"),
        ("top nodes", "Metrics API not available"),
        ("port-forward lonely 8080:80", "pod is not running"),
    ],
)
def test_what_needs_a_machine_is_refused_clearly(pod: Kubectl, command: str, said: str) -> None:
    assert said in pod.refused(*command.split())


def test_there_is_no_log_of_a_pod_that_never_ran(pod: Kubectl) -> None:
    assert pod.ok("logs", "lonely") == ""
    told = pod.refused("logs", "lonely", "--container=other")
    assert "container other is not valid for pod lonely" in told


def test_events_are_shown_with_their_object(pod: Kubectl) -> None:
    pod.apply(EVENT % (pod.namespace, pod.get("pod", "lonely")["metadata"]["uid"]))
    assert "Stormy" in pod.ok("get", "events", "--field-selector=involvedObject.name=lonely")
    assert "waves are high" in pod.ok("events", "--for=pod/lonely")
    assert "waves are high" in pod.ok("describe", "pod", "lonely")


def test_nodes_are_cordoned_tainted_drained(pod: Kubectl) -> None:
    node = f"node-{pod.namespace}"
    pod.apply(NODE % node)
    pod.ok("cordon", node)
    assert pod.get("node", node)["spec"]["unschedulable"] is True
    pod.ok("taint", "node", node, "a=b:NoSchedule")
    placed = POD.replace("lonely", "placed").replace("spec: {", f"spec: {{nodeName: {node}, ")
    pod.apply(placed)
    with pod.following("drain", node, "--force", "--grace-period=0", "--timeout=20s") as process:
        assert process.wait(20) == 0, process.stderr.read() if process.stderr else ""
    assert "NotFound" in pod.refused("get", "pod", "placed")
    pod.ok("uncordon", node)
    assert "Taints:" in pod.ok("describe", "node", node)
    pod.ok("delete", "node", node)
