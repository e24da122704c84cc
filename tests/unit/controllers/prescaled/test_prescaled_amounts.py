from typing import Any

import pytest

from kedge.controllers.prescaled.amounts import REQUESTS, amounts_for

UNLIMITED = {"requests": REQUESTS, "limits": {"memory": "64Mi"}}


def container(**resources: Any) -> dict[str, Any]:
    return {"name": "work", "image": "work:1", "resources": resources}


def fixed(cpu: Any, memory: str = "1Gi") -> dict[str, Any]:
    return container(limits={"cpu": cpu, "memory": memory})


@pytest.mark.parametrize(
    "pod",
    [
        {},
        {"containers": []},
        {"containers": [{"name": "work"}]},
        {"containers": [container(requests={"cpu": "2"})]},
        {"containers": [container(limits={"memory": "1Gi"})]},
        {"containers": [container(limits={"cpu": 0})]},
        {"containers": [container(limits={"cpu": "much"})]},
        {"containers": [container(limits=None)], "initContainers": None},
        {"containers": ["no container", container(limits=["cpu"])]},
        {"containers": "none"},
    ],
)
def test_without_a_limit_of_the_work_there_is_none(pod: dict[str, Any]) -> None:
    assert amounts_for(pod) == UNLIMITED


@pytest.mark.parametrize(
    ("limits", "cpu"),
    [(["500m"], "500m"), (["500m", "2"], "2"), ([2], "2"), (["50m"], "100m"), ([0.5], "500m")],
)
def test_it_may_use_what_the_largest_of_the_work_may_use(limits: list[Any], cpu: str) -> None:
    own = [container(limits={"cpu": one}) for one in limits]
    found = amounts_for({"containers": own})
    assert found == {"requests": REQUESTS, "limits": {"cpu": cpu, "memory": "64Mi"}}


@pytest.mark.parametrize(
    "own",
    [
        [fixed("500m")],
        [fixed("500m"), fixed("250m")],
        [container(limits={"cpu": "0.5", "memory": "1Gi"}, requests={"cpu": "500m"})],
        [container(limits={"cpu": "500m", "memory": "1Gi"}, requests={"memory": "1024Mi"})],
    ],
)
def test_a_pod_of_the_class_guaranteed_stays_one_and_is_promised_no_more(
    own: list[dict[str, Any]],
) -> None:
    found = amounts_for({"containers": own})
    assert found["requests"] == found["limits"] == {"cpu": "500m", "memory": "64Mi"}


@pytest.mark.parametrize(
    "other",
    [
        container(limits={"cpu": "1"}),
        container(limits={"cpu": "1", "memory": "1Gi"}, requests={"cpu": "500m"}),
        container(requests={"cpu": "1", "memory": "1Gi"}),
        {"name": "best-effort"},
    ],
)
@pytest.mark.parametrize("place", ["containers", "initContainers"])
def test_a_pod_of_another_class_is_promised_no_more_than_before(
    other: dict[str, Any], place: str
) -> None:
    pod: dict[str, list[Any]] = {"containers": [fixed("500m")], "initContainers": []}
    pod[place].append(other)
    assert amounts_for(pod)["requests"] == REQUESTS
