"""Rights become rules of a Role."""

from kedge.kube.kind import plain
from kedge.kube.right import Right, right

LEASES = plain("coordination.k8s.io/v1", "Lease", "leases")


def test_a_right_is_a_rule() -> None:
    made = right(LEASES, "get", "update")
    assert made == Right("coordination.k8s.io", "leases", ("get", "update"))
    assert made.rule == {
        "apiGroups": ["coordination.k8s.io"],
        "resources": ["leases"],
        "verbs": ["get", "update"],
    }


def test_a_right_to_a_subresource_of_one_object_names_both() -> None:
    rule = right(LEASES, "patch", subresource="status", names=("one",)).rule
    assert rule["resources"] == ["leases/status"]
    assert rule["resourceNames"] == ["one"]
