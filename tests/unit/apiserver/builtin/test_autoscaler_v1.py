"""An autoscaler keeps in v1 what it says in v2."""

import json

from kedge.apiserver.builtin.registry import strategy_for
from kedge.apiserver.resource import Object

TARGET = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
CPU: Object = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
}
MEMORY: Object = {
    "type": "Resource",
    "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}},
}
V1 = strategy_for("autoscaling", "v1", "HorizontalPodAutoscaler")
METRICS = "autoscaling.alpha.kubernetes.io/metrics"
BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior"


def stored(*metrics: Object, **spec: object) -> Object:
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "h", "annotations": {"a": "b"}},
        "spec": {"scaleTargetRef": TARGET, "maxReplicas": 3, "metrics": list(metrics), **spec},
        "status": {"desiredReplicas": 0, "currentMetrics": None},
    }


def test_v1_has_its_own_strategy() -> None:
    assert V1 is not strategy_for("autoscaling", "v2", "HorizontalPodAutoscaler")


def test_the_cpu_metric_is_a_field() -> None:
    shown = V1.from_storage(stored(CPU))
    assert shown["apiVersion"] == "autoscaling/v1"
    assert shown["spec"] == {
        "scaleTargetRef": TARGET,
        "maxReplicas": 3,
        "targetCPUUtilizationPercentage": 70,
    }
    assert shown["metadata"]["annotations"] == {"a": "b"}
    assert shown["status"] == {"currentReplicas": 0, "desiredReplicas": 0}


def test_other_metrics_are_an_annotation() -> None:
    shown = V1.from_storage(stored(CPU, MEMORY))
    assert json.loads(shown["metadata"]["annotations"][METRICS]) == [
        {"type": "Resource", "resource": {"name": "memory", "targetAverageValue": "1Gi"}}
    ]


def test_nothing_is_lost_on_the_way_there_and_back() -> None:
    policy = {"type": "Pods", "value": 4, "periodSeconds": 60}
    rules = {"selectPolicy": "Max", "policies": [policy], "stabilizationWindowSeconds": 0}
    before = stored(MEMORY, CPU, behavior={"scaleUp": rules})
    shown = V1.from_storage(before)
    assert BEHAVIOR in shown["metadata"]["annotations"]
    after = V1.to_storage(shown)
    assert after["metadata"] == before["metadata"]
    # As from a real server, the CPU metric goes last.
    assert after["spec"] == before["spec"]
