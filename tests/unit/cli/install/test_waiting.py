"""When kinds are served and pods run."""

from typing import Any

import pytest

from kedge.cli.install.failure import InstallError
from kedge.cli.install.waiting import unready, unserved
from kedge.kube.conditions import condition
from kedge.kube.kind import Object

LABEL = "Deployment/kedge"


def deployment(wanted: int | None, /, **status: Any) -> Object:
    spec = {} if wanted is None else {"replicas": wanted}
    seen = {"observedGeneration": 2, **status}
    return {"metadata": {"generation": 2}, "spec": spec, "status": seen}


def pods(replicas: int, updated: int, available: int) -> dict[str, int]:
    return {"replicas": replicas, "updatedReplicas": updated, "availableReplicas": available}


@pytest.mark.parametrize(
    ("found", "lacks"),
    [
        pytest.param(
            {"metadata": {"generation": 1}, "spec": {}}, "not taken it up", id="untouched"
        ),
        pytest.param(deployment(1, observedGeneration=1), "not taken it up", id="of before"),
        pytest.param(deployment(2), "0 of 2 pods", id="none yet"),
        pytest.param(deployment(2, **pods(2, 1, 2)), "1 of 2 pods", id="one is old"),
        pytest.param(deployment(2, **pods(2, 2, 1)), "1 of 2 pods", id="one is not ready"),
        pytest.param(deployment(1, **pods(2, 1, 1)), "1 of 1 pods", id="an old one still runs"),
        pytest.param(deployment(None, **pods(0, 0, 0)), "0 of 1 pods", id="one by default"),
        pytest.param(deployment(2, **pods(2, 2, 2)), "", id="all run"),
        pytest.param(deployment(0), "", id="none are wanted"),
    ],
)
def test_a_server_runs_when_all_its_pods_are_new_and_ready(found: Object, lacks: str) -> None:
    told = unready(found, LABEL, "velero")
    assert lacks in told
    assert bool(lacks) == bool(told)
    assert not told or "kubectl describe pods -n velero -l app.kubernetes.io/name=kedge" in told


def test_a_rollout_that_the_cluster_gave_up_is_not_waited_for() -> None:
    given_up = condition("Progressing", "False", "ProgressDeadlineExceeded")
    with pytest.raises(InstallError, match="do not become ready; see `kubectl describe"):
        unready(deployment(1, conditions=[given_up]), LABEL, "velero")


@pytest.mark.parametrize(
    ("crd", "is_served"),
    [
        ({}, False),
        ({"status": {"conditions": None}}, False),
        ({"status": {"conditions": [condition("Established", "False", "Installing")]}}, False),
        ({"status": {"conditions": [condition("Established", "True", "Done")]}}, True),
    ],
)
def test_a_kind_is_served_when_it_is_established(crd: Object, is_served: bool) -> None:
    assert (unserved(crd, "CustomResourceDefinition/a") == "") is is_served


def test_a_kind_whose_names_are_taken_is_not_waited_for() -> None:
    taken = condition("NamesAccepted", "False", "ListKindConflict", "AList is in use")
    with pytest.raises(InstallError, match=r"names are taken \(AList is in use\); delete the CRD"):
        unserved({"status": {"conditions": [taken]}}, "CustomResourceDefinition/a")
