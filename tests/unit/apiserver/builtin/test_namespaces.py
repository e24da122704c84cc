"""Namespaces stay until their finalizers are gone."""

from typing import Any

from kedge.apiserver.builtin.namespaces import NamespaceStrategy
from kedge.apiserver.resource import Context, Object

HOOKS = NamespaceStrategy()
NOW = "2026-01-01T00:00:00Z"


def namespace(finalizers: tuple[str, ...] = ("kubernetes",), **metadata: Any) -> Object:
    return {
        "metadata": {"name": "a", **metadata},
        "spec": {"finalizers": list(finalizers)},
        "status": {"phase": "Active"},
    }


def test_the_first_deletion_marks_the_namespace() -> None:
    obj = namespace()
    assert HOOKS.hold_deletion(obj, NOW)
    assert obj["metadata"]["deletionTimestamp"] == NOW
    assert obj["status"] == {"phase": "Terminating"}


def test_the_first_deletion_holds_even_without_a_finalizer() -> None:
    assert HOOKS.hold_deletion(namespace(()), NOW)


def test_a_later_deletion_holds_while_a_finalizer_is_left() -> None:
    obj = namespace()
    HOOKS.hold_deletion(obj, NOW)
    assert HOOKS.hold_deletion(obj, "2026-01-01T00:01:00Z")
    assert obj["metadata"]["deletionTimestamp"] == NOW
    obj["spec"] = {}
    assert not HOOKS.hold_deletion(obj, NOW)


def test_namespaces_are_not_deleted_after_a_time() -> None:
    obj = namespace(finalizers=("kubernetes",), deletionGracePeriodSeconds=0)
    HOOKS.hold_deletion(obj, NOW)
    assert "deletionGracePeriodSeconds" not in obj["metadata"]


def test_a_namespace_may_vanish_when_no_finalizer_of_the_spec_is_left() -> None:
    assert not HOOKS.may_vanish(namespace())
    assert HOOKS.may_vanish(namespace(()))
    assert HOOKS.may_vanish({"metadata": {"name": "a"}})


def test_a_generated_name_gets_its_label_when_it_is_known() -> None:
    obj: Object = {"metadata": {"generateName": "a-"}}
    HOOKS.default(obj)
    assert "labels" not in obj["metadata"]
    obj["metadata"]["name"] = "a-xyz"
    HOOKS.prepare_create(obj, Context())
    assert obj["metadata"]["labels"] == {"kubernetes.io/metadata.name": "a-xyz"}


def test_finalizers_change_through_their_own_endpoint_only() -> None:
    old, new = namespace(), namespace(())
    HOOKS.prepare_update(new, old, Context())
    assert new["spec"] == {"finalizers": ["kubernetes"]}
    new = namespace(())
    new["status"] = {"phase": "Terminating"}
    HOOKS.prepare_update(new, old, Context(subresource="finalize"))
    assert new["spec"] == {"finalizers": []}
    assert new["status"] == {"phase": "Active"}


def test_each_endpoint_owns_its_half() -> None:
    assert HOOKS.reset_fields("") == (("status",),)
    assert HOOKS.reset_fields("finalize") == (("status",),)
    assert HOOKS.reset_fields("status") == (("spec",),)
