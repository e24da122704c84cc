"""Where objects go: the kinds that a cluster serves."""

from typing import Any

import pytest

from kedge.engine.discovery import Resource, Served
from kedge.engine.restore.definitions import is_ready, kinds_of
from kedge.engine.restore.identity import ItemError
from kedge.engine.restore.targets import Targets
from kedge.kube.kind import plain

SERVED = Served(
    (
        Resource(plain("v1", "Pod", "pods"), True, short_names=("po",)),
        Resource(plain("v1", "Node", "nodes", namespaced=False), True),
        Resource(plain("autoscaling/v2", "HorizontalPodAutoscaler", "hpas"), True),
        Resource(plain("autoscaling/v1", "HorizontalPodAutoscaler", "hpas"), False),
        Resource(plain("networking.k8s.io/v1", "Ingress", "ingresses"), True),
        Resource(plain("velero.io/v1", "Backup", "backups"), True),
    )
)


def find(resource: str, api: str, kind: str, namespaced: bool = True) -> str:
    targets = Targets(SERVED)
    found = targets.kind_of(resource, {"apiVersion": api, "kind": kind}, namespaced=namespaced)
    return f"{found} {found.api_version}"


@pytest.mark.parametrize(
    ("resource", "api", "kind", "expected"),
    [
        ("pods", "v1", "Pod", "pods v1"),
        ("hpas.autoscaling", "autoscaling/v1", "HorizontalPodAutoscaler", "autoscaling/v1"),
        ("hpas.autoscaling", "autoscaling/v2beta2", "HorizontalPodAutoscaler", "autoscaling/v2"),
        ("ingresses.extensions", "networking.k8s.io/v1", "Ingress", "networking.k8s.io/v1"),
        ("dcs.apps.openshift.io", "v1", "Pod", "pods v1"),
    ],
)
def test_kind_is_found(resource: str, api: str, kind: str, expected: str) -> None:
    assert find(resource, api, kind).endswith(expected)


def test_kind_that_is_not_served_is_told() -> None:
    with pytest.raises(ItemError, match=r"serves no widgets\.example\.com in any version"):
        find("widgets.example.com", "example.com/v1", "Widget")


@pytest.mark.parametrize(
    ("resource", "kind", "inside"), [("nodes", "Node", True), ("pods", "Pod", False)]
)
def test_object_of_the_wrong_scope_is_refused(resource: str, kind: str, inside: bool) -> None:
    with pytest.raises(ItemError, match="on this cluster"):
        find(resource, "v1", kind, inside)


def test_object_of_another_kind_than_its_place_is_refused() -> None:
    with pytest.raises(ItemError, match="its kind is 'Node', but pods are 'Pod'"):
        Targets(SERVED).check_kind("pods", {"apiVersion": "v1", "kind": "Node"})


def test_kind_of_the_cluster_under_a_made_up_resource_is_refused() -> None:
    """Filters go by the resource: a Node that says to be something else would pass them."""
    node = {"apiVersion": "v1", "kind": "Node"}
    with pytest.raises(ItemError, match="its kind is 'Node', but those are nodes, not harmless"):
        Targets(SERVED).check_kind("harmless", node)
    # These pass all filters, also the one for namespaces, on a cluster that does not have them.
    backup = {"apiVersion": "velero.io/v1", "kind": "Backup"}
    with pytest.raises(ItemError, match=r"those are backups\.velero\.io, not datauploads"):
        Targets(SERVED).check_kind("datauploads.velero.io", backup)
    Targets(SERVED).check_kind("unknown", {"apiVersion": "v1", "kind": "Unknown"})


def test_names_are_resolved() -> None:
    assert [Targets(SERVED).resolve(each) for each in ("po", "pod", "what")] == [
        "pods",
        "pods",
        "what",
    ]


def definition(*versions: dict[str, Any], **conditions: str) -> dict[str, Any]:
    found = [{"type": key, "status": each} for key, each in conditions.items()]
    spec = {"group": "example.com", "names": {"plural": "widgets"}, "versions": list(versions)}
    return {"spec": spec, "status": {"conditions": found}}


def test_definition_is_ready_when_it_is_served() -> None:
    assert is_ready(definition(Established="True", NamesAccepted="True"))
    assert not is_ready(definition(Established="True", NamesAccepted="False"))
    assert not is_ready(definition(NamesAccepted="True"))
    assert not is_ready({})


def test_definition_makes_the_versions_that_it_serves() -> None:
    found = definition({"name": "v1", "served": True}, {"name": "v2", "served": False})
    assert list(kinds_of(found)) == [("widgets.example.com", "v1")]
