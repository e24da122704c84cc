"""A bound claim may grow, and shrink to no less than what was given."""

import copy
from typing import Any

import pytest

from kedge.apiserver.builtin.persistentvolumeclaims import PersistentVolumeClaimStrategy
from kedge.apiserver.resource import Context, Object

HOOKS = PersistentVolumeClaimStrategy()
CONTEXT = Context("default")


def bound(**spec: Any) -> Object:
    return {
        "metadata": {"name": "a", "namespace": "default", "resourceVersion": "1"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "2Gi"}},
            "volumeMode": "Filesystem",
            **spec,
        },
        "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}},
    }


def problems(new: Object, old: Object) -> list[str]:
    HOOKS.prepare_update(new, old, CONTEXT)
    return [str(error) for error in HOOKS.validate_update(new, old, CONTEXT)]


@pytest.mark.parametrize("size", ["3Gi", "2Gi", "2048Mi", "1500Mi"])
def test_a_bound_claim_may_change_its_size(size: str) -> None:
    new = bound(resources={"requests": {"storage": size}})
    assert problems(new, bound()) == []


def test_a_claim_may_not_shrink_to_what_was_given() -> None:
    new = bound(resources={"requests": {"storage": "1Gi"}})
    assert problems(new, bound()) == [
        "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"
    ]


def test_a_bound_claim_may_change_the_class_of_its_attributes() -> None:
    assert problems(bound(volumeAttributesClassName="fast"), bound()) == []


@pytest.mark.parametrize(("value", "word"), [(None, "nil"), ("", "empty string")])
def test_a_class_that_was_applied_can_not_be_taken_off(value: str | None, word: str) -> None:
    old = bound(volumeAttributesClassName="fast")
    old["status"]["currentVolumeAttributesClassName"] = "fast"
    new = copy.deepcopy(old)
    del new["spec"]["volumeAttributesClassName"]
    if value is not None:
        new["spec"]["volumeAttributesClassName"] = value
    assert problems(new, old) == [
        f"spec.volumeAttributesClassName: Forbidden: update to {word} is forbidden when "
        "status.currentVolumeAttributesClassName is not nil"
    ]


def test_other_parts_of_a_bound_claim_stay() -> None:
    (text,) = problems(bound(storageClassName="b"), bound(storageClassName="a"))
    assert text.startswith(
        "spec: Forbidden: spec is immutable after creation except resources.requests and "
        "volumeAttributesClassName for bound claims\n@@ "
    )
    assert '\n- "StorageClassName": "a",\n+ "StorageClassName": "b",\n' in text


def test_a_new_claim_is_protected_once() -> None:
    new = bound()
    new["metadata"]["finalizers"] = ["kubernetes.io/pvc-protection"]
    HOOKS.prepare_create(new, CONTEXT)
    assert new["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    assert new["status"] == {"phase": "Pending"}
