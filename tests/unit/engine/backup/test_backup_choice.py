"""Which objects a backup takes of what it lists: by rules for namespaces and kinds."""

from fnmatch import fnmatchcase

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.api.velero.backup import BackupSpec
from kedge.engine.backup.choice import Choice, choice_of
from kedge.engine.backup.filters import resource_filter
from kedge.engine.backup.items import Meta
from kedge.engine.backup.namespaces import NamespaceFilter
from kedge.engine.backup.policies import read_policies
from kedge.engine.backup.prepare import selectors_of
from kedge.kube.kind import Object
from tests.unit.engine.backup.served import SERVED


def choice(policy: str = "", warnings: list[str] | None = None, **fields: object) -> Choice:
    spec = msgspec.convert(fields, BackupSpec)
    found = read_policies({"metadata": {}, "data": {"p": f"version: v1\n{policy}"}})
    namespaces = NamespaceFilter.of(spec).resolve([])
    tell = [] if warnings is None else warnings
    wanted = resource_filter(spec, SERVED, namespaces, found.resources, tell.append)
    return choice_of(selectors_of(spec), found.filters, SERVED, wanted, tell.append)


def lists(made: Choice, resource: str, *namespaces: str) -> list[str]:
    return made.labels(resource, map(made.space, namespaces))


APPS: Object = {"labelSelector": {"matchLabels": {"app": "x"}}}
TEAMS = """
namespacedFilterPolicies:
- namespaces: [team-*]
  resourceFilters: [{kinds: [deploy]}]
- namespaces: [team-a*, team-b]
  resourceFilters:
  - {kinds: [cm, Pod], labelSelector: {matchLabels: {tier: web}}}
"""


def test_without_rules_the_labels_of_the_spec_choose() -> None:
    made = choice(**APPS)
    assert made.is_plain
    assert lists(made, "pods", "a") == lists(made, "persistentvolumes", "") == ["app=x"]
    assert made.selects("pods", Meta("p", "a", {"app": "x"}))
    assert not made.selects("pods", Meta("p", "a"))
    assert made.has_name("pods", "a", "any")
    assert lists(choice(), "pods", "a") == [""]


def test_a_rule_for_a_namespace_lists_nothing_but_its_kinds() -> None:
    made = choice(TEAMS, **APPS)
    assert not made.is_plain
    assert lists(made, "deployments.apps", "team-x") == [""]
    assert lists(made, "configmaps", "team-x") == []
    assert lists(made, "configmaps", "other") == ["app=x"]
    assert lists(made, "persistentvolumes", "") == ["app=x"]


def test_of_patterns_the_first_counts_and_a_name_before_all() -> None:
    made = choice(TEAMS)
    assert lists(made, "pods", "team-a1") == []
    assert lists(made, "deployments.apps", "team-a1") == [""]
    assert lists(made, "pods", "team-b") == ["tier=web"]
    assert lists(made, "deployments.apps", "team-b") == []


def test_a_list_of_many_namespaces_has_the_labels_of_each() -> None:
    made = choice(TEAMS, **APPS)
    assert lists(made, "pods", "team-b", "other", "team-x") == ["tier=web", "app=x"]
    assert lists(made, "deployments.apps", "team-b", "other", "team-x") == [""]
    assert lists(made, "pods", "team-x", "team-y") == []
    assert made.selects("pods", Meta("p", "team-b", {"tier": "web"}))
    assert not made.selects("pods", Meta("p", "team-b", {"app": "x"}))
    assert not made.selects("pods", Meta("p", "team-x", {"app": "x"}))
    assert made.selects("pods", Meta("p", "other", {"app": "x"}))


def test_what_no_rule_names_falls_to_the_one_for_the_rest() -> None:
    made = choice(
        "namespacedFilterPolicies: [{namespaces: [a], resourceFilters: ["
        "{kinds: [cm], names: [one, 'two-*'], excludedNames: ['*-b']}, "
        "{kinds: ['*'], orLabelSelectors: [{matchLabels: {c: d}}, {matchLabels: {e: f}}]}]}]",
        **APPS,
    )
    assert lists(made, "pods", "a") == ["c=d", "e=f"]
    assert lists(made, "configmaps", "a") == [""]
    assert made.selects("pods", Meta("p", "a", {"e": "f"}))
    assert not made.selects("pods", Meta("p", "a", {"app": "x"}))
    names = ["one", "two", "two-a", "two-b"]
    assert [name for name in names if made.has_name("configmaps", "a", name)] == ["one", "two-a"]
    assert all(made.has_name("configmaps", "b", name) for name in names)
    assert all(made.has_name("pods", "a", name) for name in names)


def test_rules_for_what_is_outside_of_namespaces_leave_other_kinds_alone() -> None:
    made = choice(
        "clusterScopedFilterPolicy: {resourceFilters: ["
        "{kinds: [PersistentVolume], names: [a-*]}, "
        "{kinds: [crd], labelSelector: {matchLabels: {c: d}}}]}",
        **APPS,
    )
    assert lists(made, "persistentvolumes", "") == [""]
    assert lists(made, "customresourcedefinitions.apiextensions.k8s.io", "") == ["c=d"]
    assert lists(made, "clusterroles.rbac.authorization.k8s.io", "") == ["app=x"]
    assert lists(made, "pods", "a") == ["app=x"]
    assert made.has_name("persistentvolumes", "", "a-1")
    assert not made.has_name("persistentvolumes", "", "b-1")
    assert made.has_name("pods", "a", "b-1")


def test_a_rule_for_all_namespaces_is_none_for_what_is_outside_of_them() -> None:
    made = choice(
        "namespacedFilterPolicies: [{namespaces: ['*'], resourceFilters: [{kinds: [po]}]}]"
    )
    assert lists(made, "persistentvolumes", "") == [""]
    assert lists(made, "configmaps", "a") == []


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (
            "clusterScopedFilterPolicy: {resourceFilters: [{kinds: [po, boats, pv]}]}",
            [
                'kind "po" in clusterScopedFilterPolicy is namespace-scoped; it will never match '
                "in a cluster-scoped filter — did you mean namespacedFilterPolicies?",
                'kind "boats" in clusterScopedFilterPolicy is none that this cluster has',
            ],
        ),
        (
            "clusterScopedFilterPolicy: {resourceFilters: "
            "[{kinds: [ns], names: [a], labelSelector: {matchLabels: {a: b}}}]}",
            [
                "clusterScopedFilterPolicy asks for labels of namespaces, which has no effect: "
                "they are chosen by what the backup includes, and by name"
            ],
        ),
        ("clusterScopedFilterPolicy: {resourceFilters: [{kinds: [ns], names: [a]}]}", []),
        (
            "namespacedFilterPolicies: [{namespaces: [a, b], "
            "resourceFilters: [{kinds: [pv, '*.apps', po]}]}]",
            [
                'kind "pv" in namespacedFilterPolicies is cluster-scoped; it will never match in '
                "a namespace-scoped filter — did you mean clusterScopedFilterPolicy?",
                'kind "*.apps" in namespacedFilterPolicies is none that this cluster has',
            ],
        ),
        (
            "includeExcludePolicy: {excludedNamespaceScopedResources: [po]}\n"
            "namespacedFilterPolicies: [{namespaces: [a, b], resourceFilters: [{kinds: [Pod]}]}]",
            [
                "namespacedFilterPolicies entry lists a kind that is globally excluded by "
                "includeExcludePolicy; the per-namespace filter entry has no effect: pods in a, b"
            ],
        ),
    ],
)
def test_kinds_that_are_named_in_vain_are_warned_of(policy: str, expected: list[str]) -> None:
    warnings: list[str] = []
    choice(policy, warnings)
    assert warnings == expected


RESOURCES = {"pods": ("po", "Pod", "pods"), "configmaps": ("cm", "ConfigMap", "configmaps")}
SELECTORS = st.sampled_from([None, {}, {"matchLabels": {"a": "1"}}, {"matchLabels": {"b": "2"}}])
NAMES = st.lists(st.sampled_from(["x", "x-*", "y"]), max_size=2)


def rules(resource: str) -> st.SearchStrategy[Object]:
    fields = {"labelSelector": SELECTORS, "names": NAMES, "excludedNames": NAMES}
    return st.fixed_dictionaries(
        {"kinds": st.sampled_from(RESOURCES[resource]).map(lambda name: [name])}, optional=fields
    )


REST = st.fixed_dictionaries({"kinds": st.just(["*"])}, optional={"labelSelector": SELECTORS})
KINDS = st.tuples(rules("pods"), rules("configmaps"), REST).flatmap(
    lambda three: st.lists(
        st.sampled_from(three), min_size=1, unique_by=lambda one: one["kinds"][0]
    )
)
PATTERNS = st.lists(
    st.sampled_from(["n1", "n*", "?[2-9]", "*"]), min_size=2, max_size=4, unique=True
)
POLICIES = PATTERNS.flatmap(
    lambda patterns: st.tuples(*[KINDS for _ in patterns]).map(
        lambda kinds: [
            {"namespaces": [pattern], "resourceFilters": some}
            for pattern, some in zip(patterns, kinds, strict=True)
        ]
    )
)
METAS = st.builds(
    Meta,
    st.sampled_from(["x", "x-1", "y"]),
    st.sampled_from(["n1", "n2", "other"]),
    st.none() | st.dictionaries(st.sampled_from("ab"), st.sampled_from("12")),
)


def model(policies: list[Object], selector: Object | None, resource: str, meta: Meta) -> bool:
    """Say whether an object is listed and saved, in the words of the specification."""
    mine = [one for one in policies if one["namespaces"] == [meta.namespace]]
    mine += [one for one in policies if fnmatchcase(meta.namespace, one["namespaces"][0])]
    rule: Object | None = {"labelSelector": selector}
    if mine:
        rule = None
        for each in mine[0]["resourceFilters"]:
            if each["kinds"][0] in RESOURCES[resource] or (rule is None and each["kinds"] == ["*"]):
                rule = each
    if rule is None:
        return False
    labels = (rule.get("labelSelector") or {}).get("matchLabels") or {}
    names, excluded = rule.get("names"), rule.get("excludedNames") or ()
    return (
        labels.items() <= (meta.labels or {}).items()
        and (not names or any(fnmatchcase(meta.name, each) for each in names))
        and not any(fnmatchcase(meta.name, each) for each in excluded)
    )


@given(POLICIES, SELECTORS, st.sampled_from([*RESOURCES]), METAS)
def test_objects_are_those_that_a_small_model_chooses(
    policies: list[Object], selector: Object | None, resource: str, meta: Meta
) -> None:
    text = msgspec.json.encode(policies).decode()
    made = choice(f"namespacedFilterPolicies: {text}", labelSelector=selector)
    found = made.selects(resource, meta) and made.has_name(resource, meta.namespace, meta.name)
    assert found is model(policies, selector, resource, meta)
    if found:
        assert lists(made, resource, meta.namespace)
