"""Claims and ingresses get the default class; claims grow if their class lets them."""

from typing import Any

import pytest

from kedge.apiserver.builtin.classdefaults import (
    growth_problem,
    set_ingress_class,
    set_storage_class,
)
from kedge.apiserver.resource import Object

STORAGE = "storageclass.kubernetes.io/is-default-class"
INGRESS = "ingressclass.kubernetes.io/is-default-class"
BETA = "volume.beta.kubernetes.io/storage-class"


def a_class(name: str, born: str, marked: str = STORAGE) -> Object:
    annotations = {marked: "true"}
    return {
        "metadata": {"name": name, "creationTimestamp": born, "annotations": annotations},
    }


def claim(size: str = "1Gi", phase: str = "Bound", **spec: Any) -> Object:
    resources = {"requests": {"storage": size}}
    return {
        "metadata": {"name": "q"},
        "spec": {"resources": resources, **spec},
        "status": {"phase": phase},
    }


def test_a_claim_gets_the_newest_default_class() -> None:
    obj = claim()
    set_storage_class(obj, [a_class("old", "2025"), a_class("b", "2026"), a_class("a", "2026")])
    assert obj["spec"]["storageClassName"] == "a"


@pytest.mark.parametrize("name", ["", "own"])
def test_a_claim_that_names_a_class_keeps_it(name: str) -> None:
    obj = claim(storageClassName=name)
    set_storage_class(obj, [a_class("a", "2026")])
    assert obj["spec"]["storageClassName"] == name


def test_an_annotation_names_a_class_too() -> None:
    obj = claim()
    obj["metadata"]["annotations"] = {BETA: "own"}
    set_storage_class(obj, [a_class("a", "2026")])
    assert "storageClassName" not in obj["spec"]


def test_without_a_default_class_there_is_none() -> None:
    obj = claim()
    set_storage_class(obj, [a_class("a", "2026", "other")])
    assert "storageClassName" not in obj["spec"]


def test_an_ingress_gets_the_default_class() -> None:
    obj: Object = {"metadata": {"name": "i"}, "spec": {}}
    set_ingress_class(obj, [a_class("nginx", "2026", INGRESS)])
    assert obj["spec"] == {"ingressClassName": "nginx"}


def test_an_ingress_with_the_old_annotation_gets_none() -> None:
    obj: Object = {"metadata": {"annotations": {"kubernetes.io/ingress.class": "x"}}, "spec": {}}
    set_ingress_class(obj, [a_class("nginx", "2026", INGRESS)])
    assert obj["spec"] == {}


GROWING: Object = {"metadata": {"name": "a"}, "allowVolumeExpansion": True}
REFUSED = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
    "pvc must support resize"
)


@pytest.mark.parametrize(
    ("old", "storage_class", "text"),
    [
        pytest.param(claim(storageClassName="a"), GROWING, "", id="bound, and the class lets it"),
        pytest.param(
            claim(phase="Pending", storageClassName="a"),
            GROWING,
            "Only bound persistent volume claims can be expanded",
            id="not bound",
        ),
        pytest.param(claim(storageClassName="a"), None, REFUSED, id="no such class"),
        pytest.param(claim(storageClassName="a"), {"metadata": {}}, REFUSED, id="fixed class"),
        pytest.param(claim(), GROWING, REFUSED, id="without a class"),
    ],
)
def test_a_claim_grows_if_it_may(old: Object, storage_class: Object | None, text: str) -> None:
    spec = {key: value for key, value in old["spec"].items() if key != "resources"}
    assert growth_problem(claim("2Gi", **spec), old, storage_class) == text


def test_a_claim_that_does_not_grow_is_no_matter_of_its_class() -> None:
    assert growth_problem(claim("1Gi"), claim("1024Mi", "Pending"), None) == ""
