"""An eviction asks the pod's disruption budget, in the words of a real server when it may not."""

import copy

import pytest

from kedge.apiserver.builtin.pods.eviction import check_preconditions, guarding, mark, spend
from kedge.apiserver.resource import Object
from kedge.kube.errors import ApiError

NOW = "2024-01-01T00:00:00Z"
VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."


def pod(*, ready: bool = True, phase: str = "Running") -> Object:
    return {
        "metadata": {"name": "e", "labels": {"app": "x"}, "uid": "u", "resourceVersion": "7"},
        "status": {
            "phase": phase,
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        },
    }


def budget(status: Object | None = None, **spec: object) -> Object:
    return {
        "metadata": {"name": "p", "generation": 1},
        "spec": {"selector": {"matchLabels": {"app": "x"}}, **spec},
        "status": {"observedGeneration": 1, **(status or {})},
    }


def test_a_budget_guards_a_running_pod() -> None:
    own = budget()
    other = budget(selector={"matchLabels": {"app": "y"}})
    assert guarding(pod(), [other, own]) is own
    assert guarding(pod(), [other]) is None


@pytest.mark.parametrize("phase", ["Pending", "Succeeded", "Failed"])
def test_a_pod_that_does_not_run_may_go(phase: str) -> None:
    assert guarding(pod(phase=phase), [budget()]) is None


def test_a_pod_that_is_not_ready_may_go_where_enough_are() -> None:
    enough, too_few = {"currentHealthy": 2, "desiredHealthy": 1}, {"desiredHealthy": 1}
    assert guarding(pod(ready=False), [budget(enough)]) is None
    assert guarding(pod(ready=False), [budget(too_few)]) is not None
    always = budget(too_few, unhealthyPodEvictionPolicy="AlwaysAllow")
    assert guarding(pod(ready=False), [always]) is None


def test_two_budgets_are_an_error() -> None:
    with pytest.raises(ApiError) as refused:
        guarding(pod(), [budget(), budget()])
    assert refused.value.code == 500
    assert refused.value.status["message"] == (
        "This pod has more than one PodDisruptionBudget, which the eviction subresource "
        "does not support."
    )


def test_spends_a_disruption() -> None:
    counts = {"currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2}
    own = budget({**counts, "disruptionsAllowed": 1})
    spend(own, "e", NOW)
    exhausted = {
        "type": "DisruptionAllowed",
        "status": "False",
        "observedGeneration": 1,
        "lastTransitionTime": NOW,
        "reason": "InsufficientPods",
        "message": "",
    }
    assert own["status"] == {
        "observedGeneration": 1,
        "disruptedPods": {"e": NOW},
        "disruptionsAllowed": 0,
        **counts,
        "conditions": [exhausted],
    }


@pytest.mark.parametrize(
    ("status", "why", "seconds"),
    [
        (
            {"observedGeneration": 0},
            "The disruption budget p is still being processed by the server.",
            {"retryAfterSeconds": 10},
        ),
        (
            {"desiredHealthy": 1},
            "The disruption budget p needs 1 healthy pods and has 0 currently",
            {},
        ),
    ],
)
def test_refuses_when_nothing_is_left(status: Object, why: str, seconds: Object) -> None:
    with pytest.raises(ApiError) as refused:
        spend(budget(status), "e", NOW)
    got = refused.value.status
    assert (got["code"], got["reason"], got["message"]) == (429, "TooManyRequests", VIOLATES)
    causes = [{"reason": "DisruptionBudget", "message": why}]
    assert got["details"] == {"causes": causes, **seconds}


def test_marks_the_pod() -> None:
    evicted = copy.deepcopy(pod())
    mark(evicted, NOW)
    assert evicted["status"]["conditions"][1:] == [
        {
            "type": "DisruptionTarget",
            "status": "True",
            "lastProbeTime": None,
            "lastTransitionTime": NOW,
            "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
        }
    ]


@pytest.mark.parametrize(
    ("preconditions", "why"),
    [
        (
            {"uid": "x"},
            "the UID in the precondition (x) does not match the UID in record (u). "
            "The object might have been deleted and then recreated",
        ),
        (
            {"resourceVersion": "1"},
            "the ResourceVersion in the precondition (1) does not match the ResourceVersion in "
            "record (7). The object might have been modified",
        ),
    ],
)
def test_refuses_another_pod(preconditions: Object, why: str) -> None:
    with pytest.raises(ApiError) as refused:
        check_preconditions(pod(), preconditions)
    got = refused.value.status
    assert got["message"] == f'Operation cannot be fulfilled on Pod "e": {why}'
    assert got["details"] == {"name": "e", "kind": "Pod"}


def test_takes_the_pod_that_was_meant() -> None:
    check_preconditions(pod(), {"uid": "u", "resourceVersion": "7"})
