"""managedFields of the scale subresource."""

from typing import Any

from kedge.kube.apply import parent_entries, scale_entries
from kedge.kube.apply.entries import make

PATHS: Any = {"apps/v1": ("f:spec", "f:replicas"), "apps/none": None}
REPLICAS: Any = {"f:spec": {"f:replicas": {}}}
TIME = "2026-01-01T00:00:00Z"


def entry(name: str, fields: Any, version: str = "apps/v1", **more: Any) -> Any:
    operation = more.get("operation", "Update")
    who = (name, operation, "" if operation == "Apply" else version, more.get("subresource", ""))
    return make(who, version, fields, more.get("time", TIME))


BOTH: Any = {"f:spec": {"f:paused": {}, "f:replicas": {}}}
PAUSED: Any = {"f:spec": {"f:paused": {}}}


def test_a_scale_shows_only_the_owners_of_replicas() -> None:
    parent = [
        entry("a", BOTH),
        entry("b", PAUSED),
        entry("c", REPLICAS, "unknown/v1"),
        entry("d", REPLICAS, "apps/none"),
    ]
    assert scale_entries(parent, PATHS) == [entry("a", REPLICAS, "autoscaling/v1")]


def test_a_new_owner_takes_replicas_and_has_no_time() -> None:
    scaled = [entry("s", REPLICAS, "autoscaling/v1", subresource="scale")]
    assert parent_entries([entry("a", BOTH)], scaled, PATHS, "apps/v1") == [
        entry("s", REPLICAS, subresource="scale", time=None),
        entry("a", PAUSED),
    ]


def test_an_owner_of_nothing_else_is_dropped() -> None:
    scaled = [entry("s", REPLICAS, "autoscaling/v1", subresource="scale")]
    after = parent_entries([entry("a", REPLICAS)], scaled, PATHS, "apps/v1")
    assert [one["manager"] for one in after] == ["s"]


def test_an_updater_that_keeps_replicas_comes_out_twice_as_in_kubernetes() -> None:
    parent = [entry("a", BOTH)]
    after = parent_entries(parent, scale_entries(parent, PATHS), PATHS, "apps/v1")
    assert after == [entry("a", REPLICAS, time=None), entry("a", PAUSED)]


def test_an_applier_that_keeps_replicas_keeps_its_entry() -> None:
    parent = [entry("a", BOTH, operation="Apply")]
    after = parent_entries(parent, scale_entries(parent, PATHS), PATHS, "apps/v1")
    assert after == parent


def test_entries_of_unknown_versions_are_dropped_and_other_scale_fields_ignored() -> None:
    parent = [entry("a", PAUSED), entry("b", PAUSED, "unknown/v1"), entry("c", PAUSED, "apps/none")]
    scaled = [entry("s", {"f:metadata": {}}, "autoscaling/v1")]
    after = parent_entries(parent, scaled, PATHS, "apps/v1")
    assert [one["manager"] for one in after] == ["a", "c"]
