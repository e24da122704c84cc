"""Limit ranges give defaults to pods, and hold pods and claims against bounds."""

from typing import Any

import pytest

from kedge.apiserver.builtin.limitranger import claim_problem, pod_problem, set_defaults
from kedge.apiserver.resource import Object


def limit_range(kind: str = "Container", **limits: Any) -> Object:
    return {"spec": {"limits": [{"type": kind, **limits}]}}


def pod(**resources: Any) -> Object:
    container: Object = {"name": "c"}
    if resources:
        container["resources"] = resources
    return {"metadata": {"name": "p"}, "spec": {"containers": [container]}}


def claim(size: str) -> Object:
    return {"metadata": {"name": "q"}, "spec": {"resources": {"requests": {"storage": size}}}}


def test_containers_get_defaults_and_the_pod_tells_which() -> None:
    obj = pod(limits={"cpu": "1"})
    obj["spec"]["initContainers"] = [{"name": "i"}]
    defaults = limit_range(
        default={"cpu": "2", "memory": "1Gi"}, defaultRequest={"memory": "512Mi"}
    )
    set_defaults(obj, [defaults])
    (container,) = obj["spec"]["containers"]
    assert container["resources"] == {
        "limits": {"cpu": "1", "memory": "1Gi"},
        "requests": {"memory": "512Mi"},
    }
    assert obj["metadata"]["annotations"] == {
        "kubernetes.io/limit-ranger": (
            "LimitRanger plugin set: memory request for container c; memory limit for container c; "
            "memory request for init container i; cpu, memory limit for init container i"
        )
    }


def test_a_pod_that_needs_no_default_is_left_alone() -> None:
    obj = pod(limits={"cpu": "1"}, requests={"cpu": "1"})
    set_defaults(obj, [limit_range(default={"cpu": "2"}, defaultRequest={"cpu": "1"})])
    assert obj == pod(limits={"cpu": "1"}, requests={"cpu": "1"})


@pytest.mark.parametrize(
    ("resources", "text"),
    [
        ({}, "minimum cpu usage per Container is 100m.  No request is specified"),
        (
            {"requests": {"cpu": "50m"}},
            "minimum cpu usage per Container is 100m, but request is 50m",
        ),
    ],
)
def test_a_container_asks_for_no_less_than_the_minimum(resources: Any, text: str) -> None:
    assert pod_problem(pod(**resources), [limit_range(min={"cpu": "100m"})]) == text


@pytest.mark.parametrize(
    ("resources", "text"),
    [
        ({}, "maximum cpu usage per Container is 1.  No limit is specified"),
        ({"limits": {"cpu": "3"}}, "maximum cpu usage per Container is 1, but limit is 3"),
        ({"limits": {"cpu": "1000m"}}, ""),
    ],
)
def test_a_container_gets_no_more_than_the_maximum(resources: Any, text: str) -> None:
    assert pod_problem(pod(**resources), [limit_range(max={"cpu": "1"})]) == text


def test_a_limit_is_no_more_than_so_many_times_the_request() -> None:
    obj = pod(limits={"cpu": "900m"}, requests={"cpu": "300m"})
    assert pod_problem(obj, [limit_range(maxLimitRequestRatio={"cpu": "2"})]) == (
        "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000"
    )


def test_a_pod_is_held_against_bounds_as_a_whole() -> None:
    obj = pod(requests={"memory": "512Mi"}, limits={"memory": "512Mi"})
    bounds = limit_range("Pod", max={"cpu": "1"}, min={"memory": "1Gi"})
    assert pod_problem(obj, [bounds]) == (
        "[minimum memory usage per Pod is 1Gi, but request is 512Mi, "
        "maximum cpu usage per Pod is 1.  No limit is specified]"
    )


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (
            "512Mi",
            "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi",
        ),
        ("1Gi", ""),
        ("3Gi", "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi"),
    ],
)
def test_a_claim_is_held_against_bounds(size: str, text: str) -> None:
    bounds = limit_range("PersistentVolumeClaim", min={"storage": "1Gi"}, max={"storage": "2Gi"})
    assert claim_problem(claim(size), [bounds]) == text
