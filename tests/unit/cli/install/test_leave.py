"""What belongs to others is left as it is where we would do harm."""

import copy

import pytest

from kedge.api.crd import crds
from kedge.cli.install.leave import MANAGER, OLD_KIND, OLD_NAMESPACE, OLD_STORAGE, reason_to_leave
from kedge.kube.kind import Object

OURS = crds()[0]
NAMESPACE: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "velero"}}
ROLE: Object = {"kind": "Role", "metadata": {"name": "kedge"}}


def stock(subresources: Object | None) -> Object:
    crd = copy.deepcopy(OURS)
    (version,) = crd["spec"]["versions"]
    del version["subresources"]
    if subresources is not None:
        version["subresources"] = subresources
    return crd


@pytest.mark.parametrize("subresources", [None, {}, {"scale": {}}])
def test_a_kind_whose_status_is_no_subresource_is_a_veleros(subresources: Object | None) -> None:
    there = stock(subresources)
    assert reason_to_leave(there, OURS) == OLD_KIND
    assert reason_to_leave(there, OURS, replace_crds=True) == ""


def test_a_kind_of_ours_or_of_another_version_is_replaced() -> None:
    other = stock(None)
    other["spec"]["versions"][0]["name"] = "v2"
    nothing: Object = {"spec": {}}
    for there in (OURS, other, nothing):
        assert reason_to_leave(there, OURS) == ""


def managed(manager: str, operation: str) -> Object:
    entry = {"manager": manager, "operation": operation}
    return {**NAMESPACE, "metadata": {"name": "velero", "managedFields": [entry]}}


@pytest.mark.parametrize(
    ("there", "why"),
    [
        pytest.param(NAMESPACE, OLD_NAMESPACE, id="nobody's"),
        pytest.param(managed("velero", "Update"), OLD_NAMESPACE, id="a Velero's"),
        pytest.param(managed(MANAGER, "Update"), OLD_NAMESPACE, id="not applied by us"),
        pytest.param(managed(MANAGER, "Apply"), "", id="ours"),
    ],
)
def test_the_labels_of_a_namespace_that_is_not_ours_stay(there: Object, why: str) -> None:
    assert reason_to_leave(there, NAMESPACE) == why


@pytest.mark.parametrize("kind", ["Secret", "BackupStorageLocation"])
def test_a_place_of_somebody_else_is_left_to_them(kind: str) -> None:
    wanted: Object = {"kind": kind, "metadata": {"name": "default"}}
    assert reason_to_leave({"metadata": {}}, wanted) == OLD_STORAGE
    assert reason_to_leave(managed("kubectl", "Update"), wanted) == OLD_STORAGE
    assert reason_to_leave(managed(MANAGER, "Apply"), wanted) == ""


def test_all_other_objects_are_taken() -> None:
    assert reason_to_leave({"metadata": {}}, ROLE) == ""
