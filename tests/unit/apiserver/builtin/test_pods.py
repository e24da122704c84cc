"""What the pod strategy tells the server besides defaults and errors."""

import pytest

from kedge.apiserver.builtin.pods.images import pull_policy
from kedge.apiserver.builtin.pods.strategy import PodStrategy
from kedge.apiserver.resource import Object

STRATEGY = PodStrategy()
RUNNING: Object = {
    "spec": {"nodeName": "n", "terminationGracePeriodSeconds": 30},
    "status": {"phase": "Running"},
}


@pytest.mark.parametrize(("asked", "seconds"), [(None, 30), (5, 5), (0, 0), (-1, 1)])
def test_a_pod_on_a_node_is_given_time_to_end(asked: int | None, seconds: int) -> None:
    assert STRATEGY.grace_seconds(RUNNING, asked) == seconds


@pytest.mark.parametrize(
    "change",
    [{"spec": {"terminationGracePeriodSeconds": 30}}, {"status": {"phase": "Succeeded"}}],
)
def test_a_pod_that_does_not_run_goes_at_once(change: Object) -> None:
    assert STRATEGY.grace_seconds(RUNNING | change, None) == 0


def test_field_selectors_know_old_names_and_the_network() -> None:
    assert STRATEGY.select(RUNNING, "spec.host") == "n"
    assert STRATEGY.select(RUNNING, "status.phase") == "Running"
    assert STRATEGY.select(RUNNING, "spec.hostNetwork") == "false"
    shared = {"spec": {"hostNetwork": True}}
    assert STRATEGY.select(shared, "spec.hostNetwork") == "true"


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        ("registry:5000/nginx", "Always"),
        ("registry:5000/nginx:1", "IfNotPresent"),
        ("nginx@sha256:" + "0" * 64, "IfNotPresent"),
    ],
)
def test_images_are_pulled_by_their_tag(image: str, policy: str) -> None:
    assert pull_policy(image) == policy
