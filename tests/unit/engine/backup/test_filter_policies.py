"""The sections of a policy that choose objects kind by kind: reading, and what is refused."""

import pytest

from kedge.engine.backup.filterpolicies import FilterPolicies, KindRule, ObjectFilter, SpaceRules
from kedge.engine.backup.policies import PolicyError, read_policies
from kedge.engine.includes import Includes
from kedge.kube.selectors import parse_labels


def filters(text: str) -> FilterPolicies:
    return read_policies({"metadata": {}, "data": {"p": f"version: v1\n{text}"}}).filters


def test_a_policy_without_the_sections_has_no_filters() -> None:
    assert filters("") == filters("clusterScopedFilterPolicy:\nnamespacedFilterPolicies: []")
    assert not filters("").given


def test_filters_of_what_is_outside_of_namespaces() -> None:
    found = filters(
        """
clusterScopedFilterPolicy:
  resourceFilters:
  - kinds: [ClusterRole, ClusterRoleBinding]
    labelSelector:
      matchLabels: {app: shop, tier: 1}
      matchExpressions:
      - {key: env, operator: In, values: [prod, staging]}
      - {key: skip, operator: DoesNotExist}
  - kinds: [sc]
    names: [shop-*]
    excludedNames: ['*-tmp']
"""
    )
    assert found.given
    assert found.outside == (
        KindRule(
            ("ClusterRole", "ClusterRoleBinding"),
            ObjectFilter((parse_labels("app=shop,tier=1,env in (prod,staging),!skip"),)),
        ),
        KindRule(("sc",), ObjectFilter(names=Includes.of(["shop-*"], ["*-tmp"]))),
    )


def test_filters_of_namespaces() -> None:
    found = filters(
        """
namespacedFilterPolicies:
- namespaces: [shop, team-*]
  resourceFilters:
  - kinds: [Secret]
    orLabelSelectors: [{matchLabels: {a: b}}, {}, {matchLabels: {c: d}}]
  - kinds: ['*']
    labelSelector: {}
- namespaces: [other]
  resourceFilters: [{labelSelector: {matchLabels: {a: b}}}]
"""
    )
    either = ObjectFilter((parse_labels("a=b"), parse_labels("c=d")))
    assert found.inside == (
        SpaceRules(
            ("shop", "team-*"), (KindRule(("Secret",), either), KindRule((), ObjectFilter()))
        ),
        SpaceRules(("other",), (KindRule((), ObjectFilter((parse_labels("a=b"),))),)),
    )


def outside(*rules: str) -> str:
    return f"clusterScopedFilterPolicy: {{resourceFilters: [{', '.join(rules)}]}}"


def inside(*rules: str, spaces: str = "[a]") -> str:
    return (
        f"namespacedFilterPolicies: [{{namespaces: {spaces}, "
        f"resourceFilters: [{', '.join(rules)}]}}]"
    )


CLUSTER = "clusterScopedFilterPolicy"
SPACES = "namespacedFilterPolicies"
BOTH = "labelSelector: {matchLabels: {a: b}}, orLabelSelectors: [{}]"
BAD = "matchExpressions: [{key: a, operator: Like}]"
BAD_WHY = '"Like" is not a valid label selector operator'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"{CLUSTER}: {{}}",
            f"{CLUSTER}: resourceFilters cannot be empty; remove the policy block entirely if it "
            "is not needed",
        ),
        (
            outside("{kinds: [sc]}", "{names: [a]}"),
            f"{CLUSTER}.resourceFilters[1]: kinds must be specified (catch-all is not supported)",
        ),
        (
            outside("{kinds: ['*']}"),
            f"{CLUSTER}.resourceFilters[0]: kinds must be specified (catch-all is not supported)",
        ),
        (
            outside("{kinds: [sc]}", "{kinds: [pv, sc]}"),
            f'{CLUSTER}: kind "sc" appears in both resourceFilters[0] and resourceFilters[1]',
        ),
        (
            outside(f"{{kinds: [sc], {BOTH}}}"),
            f"{CLUSTER}.resourceFilters[0]: labelSelector and orLabelSelectors cannot co-exist",
        ),
        (
            outside(f"{{kinds: [sc], labelSelector: {{{BAD}}}}}"),
            f"{CLUSTER}.resourceFilters[0]: invalid label selector: {BAD_WHY}",
        ),
        (
            outside(f"{{kinds: [sc], orLabelSelectors: [{{}}, {{{BAD}}}]}}"),
            f"{CLUSTER}.resourceFilters[0].orLabelSelectors[1]: invalid label selector: {BAD_WHY}",
        ),
        (
            outside("{kinds: [sc], names: [a, 'b[']}"),
            f'{CLUSTER}.resourceFilters[0].names[1]: invalid glob pattern "b[": ',
        ),
        (
            outside("{kinds: [sc], excludedNames: ['{a']}"),
            f'{CLUSTER}.resourceFilters[0].excludedNames[0]: invalid glob pattern "{{a": ',
        ),
        (f"{SPACES}: [{{}}]", f"{SPACES}[0]: at least one namespace must be specified"),
        (
            f"{SPACES}: [{{namespaces: [a]}}]",
            f"{SPACES}[0]: at least one resourceFilter must be specified",
        ),
        (
            inside("{}", spaces="[a, 'b**']"),
            f"{SPACES}[0].namespaces[1]: wildcard pattern contains consecutive asterisks (only "
            "single * allowed)",
        ),
        (
            inside("{kinds: [po]}", "{kinds: ['*']}", "{}"),
            f"{SPACES}[0]: only one catch-all resource filter is allowed",
        ),
        (
            inside("{kinds: ['*'], names: [a]}"),
            f"{SPACES}[0].resourceFilters[0]: names or excludedNames cannot be specified for "
            "catch-all filters",
        ),
        (
            inside("{kinds: [po]}", "{excludedNames: [a]}"),
            f"{SPACES}[0].resourceFilters[1]: names or excludedNames cannot be specified for "
            "catch-all filters",
        ),
        (
            inside("{kinds: [po, cm, po]}"),
            f'{SPACES}[0]: kind "po" appears in both resourceFilters[0] and resourceFilters[0]',
        ),
        (
            inside(f"{{{BOTH}}}"),
            f"{SPACES}[0].resourceFilters[0]: labelSelector and orLabelSelectors cannot co-exist",
        ),
        (
            inside(f"{{labelSelector: {{{BAD}}}}}"),
            f"{SPACES}[0].resourceFilters[0]: invalid label selector: {BAD_WHY}",
        ),
        (
            inside("{kinds: [po], names: ['[']}"),
            f'{SPACES}[0].resourceFilters[0].names[0]: invalid glob pattern "[": ',
        ),
        (
            f"{SPACES}:\n- {{namespaces: [b], resourceFilters: [{{}}]}}\n"
            "- {namespaces: [c, b], resourceFilters: [{}]}",
            f"{SPACES}: duplicate namespace pattern 'b' found in policies [0 1]",
        ),
        (
            inside("{}", spaces="[b, b]"),
            f"{SPACES}: duplicate namespace pattern 'b' found in policies [0 0]",
        ),
        (inside("{kind: po}"), "failed to decode yaml data into resource policies  "),
        (inside("{labelSelector: {labels: {a: b}}}"), "failed to decode yaml data into "),
    ],
)
def test_filters_that_can_not_be_followed_are_refused(text: str, expected: str) -> None:
    with pytest.raises(PolicyError) as refused:
        filters(text)
    assert str(refused.value).startswith(expected)


def test_what_many_names_have_in_common_need_not_be_a_pattern() -> None:
    assert filters(outside("{kinds: [sc], names: ['a]', 'b}']}"))
    assert filters(inside("{kinds: ['*', po]}", "{kinds: ['*', cm]}"))
