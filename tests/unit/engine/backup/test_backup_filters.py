from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.api.velero.backup import BackupSpec
from kedge.engine.backup.filters import ALWAYS_EXCLUDED, ResourceFilter, resource_filter
from kedge.engine.backup.namespaces import NamespaceFilter
from kedge.engine.backup.plan import plan, storable
from kedge.engine.backup.policies import ResourceRules
from kedge.engine.discovery import Resource, Served
from kedge.kube.kind import Object
from tests.unit.engine.backup import served as known
from tests.unit.engine.backup.served import SERVED


def filter_of(
    rules: ResourceRules | None = None, warnings: list[str] | None = None, **fields: object
) -> ResourceFilter:
    spec = msgspec.convert(fields, BackupSpec)
    namespaces = NamespaceFilter.of(spec).resolve(["default"])
    tell = [] if warnings is None else warnings
    return resource_filter(spec, SERVED, namespaces, rules, tell.append)


def included(rules: ResourceRules | None = None, **fields: object) -> set[str]:
    wanted = filter_of(rules, None, **fields)
    return {str(one) for one in known.ALL if wanted.includes(one)}


def names(*resources: Resource) -> set[str]:
    return {str(one) for one in resources}


INSIDE = {str(one) for one in known.ALL if one.kind.namespaced} - ALWAYS_EXCLUDED
OUTSIDE = {str(one) for one in known.ALL if not one.kind.namespaced} - ALWAYS_EXCLUDED
LISTED: Object = {
    "excludedNamespaceScopedResources": ["volumesnapshots.snapshot.storage.k8s.io"],
    "excludedClusterScopedResources": ["volumesnapshotcontents.snapshot.storage.k8s.io"],
}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, INSIDE | OUTSIDE),
        (LISTED, INSIDE | OUTSIDE),
        ({"includedNamespaces": ["*"]}, INSIDE | OUTSIDE),
        ({"includedNamespaces": ["default"]}, INSIDE | {"namespaces"}),
        ({"excludedNamespaces": ["default"]}, INSIDE | {"namespaces"}),
        ({"includedNamespaces": ["x*"]}, INSIDE | {"namespaces"}),
        ({"includedNamespaceScopedResources": ["po"]}, {"pods", "namespaces"}),
        ({"includedNamespaceScopedResources": ["*"]}, INSIDE | OUTSIDE),
        ({"excludedNamespaceScopedResources": ["po"]}, (INSIDE - {"pods"}) | {"namespaces"}),
        ({"excludedNamespaceScopedResources": ["*"]}, {"namespaces"}),
        ({"includedClusterScopedResources": ["pv"]}, INSIDE | {"namespaces", "persistentvolumes"}),
        ({"includedClusterScopedResources": ["*"]}, INSIDE | OUTSIDE),
        (
            {"includedClusterScopedResources": ["*"], "includedNamespaces": ["default"]},
            INSIDE | OUTSIDE,
        ),
        ({"excludedClusterScopedResources": ["*"]}, INSIDE),
        ({"excludedClusterScopedResources": ["ns"]}, INSIDE),
        ({"excludedClusterScopedResources": ["pv"]}, INSIDE | {"namespaces"}),
        ({"includedNamespaceScopedResources": ["*.apps"]}, {"deployments.apps", "namespaces"}),
        ({"includedNamespaceScopedResources": ["nothing"]}, {"namespaces"}),
        ({"includedNamespaceScopedResources": ["pv"]}, {"namespaces"}),
        ({"includedClusterScopedResources": ["pods"]}, INSIDE | {"namespaces"}),
        ({"includedNamespaceScopedResources": ["vs"]}, {"namespaces"}),
        ({"excludedNamespaceScopedResources": ["pv"]}, INSIDE | OUTSIDE),
        ({"excludedClusterScopedResources": ["pods"]}, INSIDE | OUTSIDE),
    ],
)
def test_scoped_filters(fields: Object, expected: set[str]) -> None:
    assert included(**fields) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"includedResources": ["*"]}, INSIDE | OUTSIDE),
        ({"includedResources": ["*"], "includedNamespaces": ["a"]}, INSIDE | {"namespaces"}),
        ({"includedResources": ["deploy", "cm"]}, {"deployments.apps", "configmaps"}),
        ({"includedResources": ["deployments"]}, {"deployments.apps"}),
        ({"includedResources": ["deployments.extensions"]}, {"deployments.extensions"}),
        ({"includedResources": ["nothing"]}, set()),
        ({"includedResources": ["pv"]}, {"persistentvolumes"}),
        ({"includedResources": ["pv"], "includedNamespaces": ["a"]}, set()),
        ({"includedResources": ["ns"], "includedNamespaces": ["a"]}, {"namespaces"}),
        ({"excludedResources": ["deploy"]}, (INSIDE | OUTSIDE) - {"deployments.apps"}),
        ({"excludedResources": ["*.extensions"]},
         (INSIDE | OUTSIDE) - {"deployments.extensions", "networkpolicies.extensions"}),
        ({"includeClusterResources": True, "includedNamespaces": ["a"]}, INSIDE | OUTSIDE),
        ({"includeClusterResources": True, "includedResources": ["cm"]}, {"configmaps"}),
        ({"includeClusterResources": False}, INSIDE),
        ({"includeClusterResources": False, "includedResources": ["pv", "po"]}, {"pods"}),
    ],
)  # fmt: skip
def test_old_filters(fields: Object, expected: set[str]) -> None:
    assert included(**fields) == expected


@pytest.mark.parametrize(
    ("fields", "resource", "expected"),
    [
        ({}, known.VOLUMES, False),
        ({"includedNamespaces": ["a"]}, known.VOLUMES, False),
        ({"excludedClusterScopedResources": ["pv"]}, known.VOLUMES, True),
        ({"excludedClusterScopedResources": ["*"]}, known.VOLUMES, True),
        ({}, known.CONTENTS, True),
        ({"includedResources": ["po"]}, known.VOLUMES, True),
        ({"includedResources": ["po", "pv"]}, known.VOLUMES, False),
        ({"includedResources": ["po"], "includeClusterResources": True}, known.VOLUMES, False),
        ({"includeClusterResources": False}, known.VOLUMES, True),
        ({"includeClusterResources": True}, known.VOLUMES, False),
        ({"excludedResources": ["pv"]}, known.VOLUMES, True),
        ({"excludedResources": ["pv"], "includeClusterResources": True}, known.VOLUMES, True),
        ({"includedResources": ["cm"]}, known.CRDS, True),
        ({"includedNamespaces": ["a"]}, known.CRDS, False),
    ],
)
def test_what_is_left_out_even_where_others_need_it(
    fields: Object, resource: Resource, expected: bool
) -> None:
    assert filter_of(**fields).excludes(resource) is expected


def test_names_in_vain_are_warned_of() -> None:
    warnings: list[str] = []
    filter_of(warnings=warnings, includedResources=["boats", "po", "*"], excludedResources=["x"])
    filter_of(warnings=warnings, includedNamespaceScopedResources=["pv", "*.apps"])
    filter_of(warnings=warnings, includedClusterScopedResources=["pods", "volumesnapshots"])
    assert warnings == [
        "spec.includedResources names 'boats', which this cluster does not have",
        "spec.includedNamespaceScopedResources names 'pv', which is outside of namespaces",
        "spec.includedClusterScopedResources names 'pods', which is in namespaces",
        "spec.includedClusterScopedResources names 'volumesnapshots', which is in namespaces",
    ]


@pytest.mark.parametrize(
    ("rules", "fields", "expected"),
    [
        (ResourceRules(), {}, INSIDE | OUTSIDE),
        (
            ResourceRules(excluded_namespace_scoped=("cm",)),
            {},
            (INSIDE - {"configmaps"}) | {"namespaces"},
        ),
        (ResourceRules(included_namespace_scoped=("cm",)), {}, {"configmaps", "namespaces"}),
        (
            ResourceRules(included_namespace_scoped=("cm",)),
            {"excludedNamespaceScopedResources": ["cm"]},
            (INSIDE - {"configmaps"}) | {"namespaces"},
        ),
        (
            ResourceRules(excluded_namespace_scoped=("cm",)),
            {"includedNamespaceScopedResources": ["cm"]},
            {"configmaps", "namespaces"},
        ),
        (
            ResourceRules(excluded_namespace_scoped=("cm",)),
            {"includedNamespaceScopedResources": ["*"]},
            INSIDE | OUTSIDE,
        ),
        (
            ResourceRules(included_cluster_scoped=("pv",)),
            {"includedNamespaces": ["a"]},
            INSIDE | {"namespaces", "persistentvolumes"},
        ),
        (ResourceRules(excluded_cluster_scoped=("pv",)), {}, INSIDE | {"namespaces"}),
        (ResourceRules(excluded_cluster_scoped=("cm",)), {}, INSIDE | OUTSIDE),
    ],
)
def test_a_policy_adds_to_the_lists_and_the_spec_wins(
    rules: ResourceRules, fields: Object, expected: set[str]
) -> None:
    assert included(rules, **fields) == expected


def test_the_core_group_comes_first_and_extensions_last() -> None:
    order = [str(one) for one in storable(SERVED)]
    assert order[:3] == ["pods", "persistentvolumeclaims", "persistentvolumes"]
    assert order[3:6] == ["configmaps", "events", "namespaces"]
    assert order[-2:] == ["deployments.extensions", "networkpolicies.extensions"]


def test_what_can_not_be_created_again_is_not_saved() -> None:
    few = replace(known.PODS, verbs=frozenset({"get", "list"}))
    assert storable(Served((few, known.CONFIGS))) == [known.CONFIGS]


def test_twins_are_saved_once() -> None:
    chosen = {str(one) for one in plan(storable(SERVED), filter_of())}
    assert {"events", "deployments.apps", "networkpolicies.networking.k8s.io"} <= chosen
    assert chosen.isdisjoint(
        {"events.events.k8s.io", "deployments.extensions", "networkpolicies.extensions"}
    )


def test_a_twin_that_is_left_out_does_not_hide_the_other() -> None:
    chosen = {str(one) for one in plan(storable(SERVED), filter_of(excludedResources=["events"]))}
    assert "events.events.k8s.io" in chosen
    assert "events" not in chosen


SHORT = {
    name: str(one) for one in reversed(known.ALL) for name in (one.kind.plural, *one.short_names)
}
SHORT |= {"deploy": "deployments.apps", "netpol": "networkpolicies.networking.k8s.io"}
SHORT |= {"deployments": "deployments.apps", **{str(one): str(one) for one in known.ALL}}
SHORT["networkpolicies"] = "networkpolicies.networking.k8s.io"
SCOPE = {
    namespaced: {str(one) for one in known.ALL if one.kind.namespaced is namespaced}
    for namespaced in (True, False)
}
LISTS = st.none() | st.lists(st.sampled_from([*SHORT, "*", "boats"]), max_size=3)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        **{
            f"{verb}{scope}Resources": LISTS
            for verb in ("included", "excluded")
            for scope in ("", "ClusterScoped", "NamespaceScoped")
        },
        "includeClusterResources": st.none() | st.booleans(),
        "includedNamespaces": st.sampled_from([None, [], ["*"], ["default"], ["none-*"]]),
        "excludedNamespaces": st.sampled_from([None, [], ["kube-system"]]),
    },
)


def model(spec: Object, name: str, namespaced: bool) -> bool:
    """Say whether a resource is listed, in the words of the specification."""

    def has(field: str, what: str = name) -> bool:
        return any(SHORT.get(each, each) in ("*", what) for each in spec.get(field) or ())

    everywhere = not spec.get("excludedNamespaces") and (
        spec.get("includedNamespaces") or ["*"]
    ) == ["*"]
    if name in ALWAYS_EXCLUDED:
        return False
    switch = spec.get("includeClusterResources")
    old = spec.get("includedResources"), spec.get("excludedResources")
    if switch is not None or any(old):
        if not namespaced and switch is False:
            return False
        if not namespaced and switch is None and not everywhere and name != "namespaces":
            return False
        out = any(SHORT.get(each, each) == name for each in old[1] or ())
        return not out and (not old[0] or has("includedResources"))
    if namespaced:
        listed = spec.get("includedNamespaceScopedResources")
        return not has("excludedNamespaceScopedResources") and (
            not listed or has("includedNamespaceScopedResources")
        )
    if has("excludedClusterScopedResources"):
        return False
    lists = [spec.get(f"{verb}ClusterScopedResources") or [] for verb in ("included", "excluded")]
    left_out = {SHORT.get(each, each) for each in lists[1]} - SCOPE[True]
    left_out |= {
        SHORT.get(each, each) for each in spec.get("excludedNamespaceScopedResources") or []
    } - SCOPE[False]
    inside = spec.get("includedNamespaceScopedResources") or ["*"]
    is_full = not lists[0] and left_out <= ALWAYS_EXCLUDED and {*inside} == {"*"} and everywhere
    return is_full or has("includedClusterScopedResources") or name == "namespaces"


@given(SPECS)
def test_resources_are_those_that_a_small_model_chooses(spec: Object) -> None:
    wanted = filter_of(**spec)
    for one in known.ALL:
        expected = model(spec, str(one), one.kind.namespaced)
        assert wanted.includes(one) is expected, str(one)
