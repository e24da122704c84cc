"""Which objects of a backup come back."""

from typing import Any

import pytest

from kedge.api.velero.restore import RestoreSpec, StatusSelection
from kedge.api.velero.selector import LabelSelector
from kedge.archive.item import Place
from kedge.engine.restore.select import Selection, wanted_statuses

KNOWN = {"po": "pods", "deploy": "deployments.apps", "deployments": "deployments.apps"}
UPLOADS = "datauploads.velero.io"
CONTENTS = "volumesnapshotcontents.snapshot.storage.k8s.io"
THERE = {"dev-1", "dev-2", "prod"}


def resolve(name: str) -> str:
    return KNOWN.get(name, name)


def selection(**spec: Any) -> Selection:
    return Selection(RestoreSpec(**spec), resolve)


@pytest.mark.parametrize(
    ("included", "excluded", "resource", "expected"),
    [
        (None, None, "pods", True),
        (["*"], None, "pods", True),
        (["po"], None, "pods", True),
        (["deploy"], None, "pods", False),
        (["*.apps"], None, "deployments.apps", True),
        (None, ["deployments"], "deployments.apps", False),
        (["pods"], ["pods"], "pods", False),
        (["nothing-like-it"], None, "pods", False),
        (["pods"], None, UPLOADS, True),
        (["pods"], [CONTENTS], CONTENTS, True),
    ],
)
def test_resources_are_filtered(
    included: list[str] | None, excluded: list[str] | None, resource: str, expected: bool
) -> None:
    chosen = selection(included_resources=included, excluded_resources=excluded)
    assert chosen.resource(resource) is expected


@pytest.mark.parametrize(
    ("included", "excluded", "namespaces"),
    [
        (None, None, THERE),
        (["*"], None, THERE),
        ([], ["prod"], {"dev-1", "dev-2"}),
        (["dev-*"], None, {"dev-1", "dev-2"}),
        (["dev-?"], ["dev-2"], {"dev-1"}),
        (["dev-[2-9]", "prod"], None, {"dev-2", "prod"}),
        (["qa-*"], None, set()),
        (["prod"], ["p*"], set()),
    ],
)
def test_namespaces_are_filtered(
    included: list[str] | None, excluded: list[str] | None, namespaces: set[str]
) -> None:
    chosen = selection(included_namespaces=included, excluded_namespaces=excluded)
    assert {each for each in THERE if chosen.place(Place("pods", each, "p"))} == namespaces


@pytest.mark.parametrize(
    ("include", "included", "excluded", "expected"),
    [
        (None, None, None, True),
        (None, ["*"], None, True),
        (None, ["prod"], None, False),
        (None, ["*"], ["prod"], False),
        (None, None, ["absent"], False),
        (None, None, ["qa-*"], False),
        (None, ["*"], ["qa-?"], False),
        (None, ["*-*"], None, False),
        (True, ["prod"], None, True),
        (False, None, None, False),
    ],
)
def test_objects_of_the_cluster_come_with_all_namespaces(
    include: bool | None, included: list[str] | None, excluded: list[str] | None, expected: bool
) -> None:
    chosen = selection(
        include_cluster_resources=include,
        included_namespaces=included,
        excluded_namespaces=excluded,
    )
    assert chosen.place(Place("clusterroles.rbac.authorization.k8s.io", "", "r")) is expected


@pytest.mark.parametrize(("include", "expected"), [(None, True), (True, True), (False, False)])
def test_objects_that_others_need_obey_false_only(include: bool | None, expected: bool) -> None:
    chosen = selection(include_cluster_resources=include, included_namespaces=["prod"])
    assert chosen.additional(Place("persistentvolumes", "", "v")) is expected


def test_objects_that_others_need_obey_the_other_filters() -> None:
    chosen = selection(included_namespaces=["prod"], excluded_resources=["persistentvolumes"])
    assert not chosen.additional(Place("persistentvolumes", "", "v"))
    assert not chosen.additional(Place("persistentvolumeclaims", "dev-1", "c"))
    assert chosen.additional(Place("persistentvolumeclaims", "prod", "c"))


def test_namespaces_that_are_left_out_are_not_made() -> None:
    chosen = selection(include_cluster_resources=True, included_namespaces=["prod"])
    assert chosen.place(Place("namespaces", "", "prod"))
    assert not chosen.place(Place("namespaces", "", "dev-1"))


def test_must_have_ignores_labels() -> None:
    chosen = selection(
        included_namespaces=["prod"], label_selector=LabelSelector(match_labels={"a": "b"})
    )
    assert chosen.labels(UPLOADS, {})
    assert not chosen.labels("pods", {})


@pytest.mark.parametrize("resource", [UPLOADS, CONTENTS, "pods"])
def test_nothing_comes_back_into_a_namespace_that_is_left_out(resource: str) -> None:
    """Not even what nobody can exclude: for a forged one, a namespace would be made."""
    chosen = selection(included_namespaces=["prod"])
    assert chosen.place(Place(resource, "prod", "u"))
    assert not chosen.place(Place(resource, "velero", "u"))


@pytest.mark.parametrize(
    ("labels", "by_one", "by_several"),
    [
        ({}, False, False),
        ({"a": "1"}, True, True),
        ({"a": "1", "b": "2"}, True, True),
        ({"b": "2"}, False, True),
        ({"a": "2"}, False, False),
    ],
)
def test_labels_are_matched(labels: dict[str, str], by_one: bool, by_several: bool) -> None:
    one, other = LabelSelector(match_labels={"a": "1"}), LabelSelector(match_labels={"b": "2"})
    assert selection(label_selector=one).labels("pods", labels) is by_one
    assert selection(or_label_selectors=[one, other]).labels("pods", labels) is by_several


def test_namespaces_are_mapped() -> None:
    chosen = selection(namespace_mapping={"prod": "copy"})
    assert [chosen.target(each) for each in ("prod", "dev-1", "")] == ["copy", "dev-1", ""]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("a**", "consecutive asterisks"),
        ("[", "unclosed bracket"),
        ("a*(", "unsupported characters"),
        ("x*[]", "empty bracket"),
    ],
)
def test_pattern_that_is_none_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        selection(included_namespaces=[pattern])


def test_statuses_are_chosen() -> None:
    assert wanted_statuses(None, resolve) is None
    everything = wanted_statuses(StatusSelection(), resolve)
    assert everything is not None
    assert everything.has("pods")
    some = wanted_statuses(StatusSelection(included_resources=["deploy"]), resolve)
    assert some is not None
    assert (some.has("deployments.apps"), some.has("pods")) == (True, False)


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ({}, []),
        ({"included_namespaces": ["*"]}, []),
        ({"included_namespaces": ["dev-*", "prod"]}, []),
        ({"included_namespaces": ["pord", "qa-*", "prod"]}, ["pord", "qa-*"]),
        ({"namespace_mapping": {"prod": "copy", "pord": "copy"}}, ["pord"]),
        ({"excluded_namespaces": ["pord"]}, []),
    ],
)
def test_namespaces_that_are_named_in_vain_are_told(spec: dict[str, Any], names: list[str]) -> None:
    told = selection(**spec).in_vain(THERE)
    assert [one.split("'")[1] for one in told] == names
