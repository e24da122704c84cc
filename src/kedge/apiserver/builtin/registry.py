"""Which Strategy belongs to which built-in kind; its module is imported when it is asked for."""

from functools import cache
from importlib import import_module

from kedge.apiserver.builtin.others import OTHERS
from kedge.apiserver.resource import Strategy

HERE = "kedge.apiserver.builtin"
# Group, kind, and a version where versions differ -> module:Class.
STRATEGIES: dict[tuple[str, ...], str] = {
    ("", "Pod"): f"{HERE}.pods.strategy:PodStrategy",
    ("", "PodTemplate"): f"{HERE}.podtemplates:PodTemplateStrategy",
    ("", "ReplicationController"): f"{HERE}.replicas:ReplicationControllerStrategy",
    ("apps", "ControllerRevision"): f"{HERE}.podtemplates:ControllerRevisionStrategy",
    ("apps", "DaemonSet"): f"{HERE}.daemonsets:DaemonSetStrategy",
    ("apps", "Deployment"): f"{HERE}.deployments:DeploymentStrategy",
    ("apps", "ReplicaSet"): f"{HERE}.replicas:ReplicaSetStrategy",
    ("apps", "StatefulSet"): f"{HERE}.statefulsets:StatefulSetStrategy",
    ("autoscaling", "HorizontalPodAutoscaler"): f"{HERE}.autoscalers:AutoscalerStrategy",
    ("autoscaling", "HorizontalPodAutoscaler", "v1"): f"{HERE}.autoscaler_v1:AutoscalerV1Strategy",
    ("batch", "CronJob"): f"{HERE}.cronjobs:CronJobStrategy",
    ("batch", "Job"): f"{HERE}.jobs:JobStrategy",
    ("policy", "PodDisruptionBudget"): f"{HERE}.disruption:DisruptionBudgetStrategy",
    ("scheduling.k8s.io", "PriorityClass"): f"{HERE}.priorities:PriorityClassStrategy",
}


@cache
def strategy_for(group: str, version: str, kind: str) -> Strategy:
    """Give the strategy of a kind; the plain one for a kind without rules of its own."""
    place = STRATEGIES.get((group, kind, version)) or STRATEGIES.get((group, kind))
    place = place or OTHERS.get((group, kind))
    if place is None:
        return Strategy()
    module, name = place.split(":")
    strategy: Strategy = getattr(import_module(module), name)()
    return strategy
