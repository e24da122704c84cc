"""Objects that are not what their place says are refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.archive.item import Place
from kedge.engine.restore.identity import ItemError, read

PLACE = Place("deployments.apps", "app", "web")
GOOD: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "app"},
}


def test_object_of_its_place_is_read() -> None:
    assert read(PLACE, json.dumps(GOOD).encode()) == GOOD


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"metadata": {"name": "other", "namespace": "app"}}, "metadata.name is 'other'"),
        ({"metadata": {"name": "web", "namespace": "kube-system"}}, "metadata.namespace is"),
        ({"metadata": {"name": "web"}}, "metadata.namespace is ''"),
        ({"metadata": {"name": ["web"], "namespace": "app"}}, "metadata.name is"),
        ({"metadata": "web"}, "no metadata"),
        ({"metadata": None}, "no metadata"),
        ({"apiVersion": "v1"}, "the group of apiVersion is ''"),
        ({"apiVersion": "rbac.authorization.k8s.io/v1"}, "the group of apiVersion"),
        ({"apiVersion": None}, "no apiVersion"),
        ({"apiVersion": 1}, "no apiVersion"),
        ({"kind": ""}, "no kind"),
        ({"kind": {}}, "no kind"),
        (
            {"metadata": {"name": "web", "namespace": "app", "labels": {"a": 1}}},
            "metadata.labels is not a table of texts",
        ),
        (
            {"metadata": {"name": "web", "namespace": "app", "annotations": []}},
            "metadata.annotations is not a table of texts",
        ),
    ],
)
def test_object_of_another_place_is_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ItemError, match=why):
        read(PLACE, json.dumps({**GOOD, **change}).encode())


def test_object_of_the_cluster_with_a_namespace_is_refused() -> None:
    data = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "namespace": "x"}}
    with pytest.raises(ItemError, match=r"metadata\.namespace"):
        read(Place("nodes", "", "n"), json.dumps(data).encode())


@given(st.one_of(st.binary(max_size=64), st.just(b"[" * 100_000), st.just(b'{"a":' * 100_000)))
def test_what_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(ItemError):
        read(PLACE, data)


def test_null_labels_count_as_none() -> None:
    data = {**GOOD, "metadata": {**GOOD["metadata"], "labels": None}}
    assert read(PLACE, json.dumps(data).encode()) == GOOD
