import msgspec
import pytest

from kedge.api.velero.backup import BackupSpec
from kedge.engine.backup.validate import (
    BOTH_SELECTORS,
    MIXED_FILTERS,
    problems,
    uses_old_filters,
    uses_scoped_filters,
)
from kedge.kube.kind import Object


def spec_of(**fields: object) -> BackupSpec:
    return msgspec.convert(fields, BackupSpec)


def test_an_empty_spec_is_right() -> None:
    assert problems(BackupSpec()) == []


INCLUDES = "includes list must either contain '*' only, or a non-empty list of items"
EXCLUDES = "excludes list must either contain '*' only, or a non-empty list of items"
BOTH = "excludes list cannot contain an item in the includes list: "
OLD = "Invalid included/excluded resource lists: "
CLUSTER = "Invalid cluster-scoped included/excluded resource lists: "
INSIDE = "Invalid namespace-scoped included/excluded resource lists: "
SPACES = "Invalid included/excluded namespace lists: "


@pytest.mark.parametrize(
    ("included", "excluded", "expected"),
    [
        (["*"], ["a"], []),
        (["*", "*"], [], []),
        (["*", "a"], [], [INCLUDES]),
        ([], ["*"], ["excludes list cannot contain '*'"]),
        (["a", "b", "c"], ["c", "a"], [f"{BOTH}a", f"{BOTH}c"]),
        (["*"], ["*"], ["excludes list cannot contain '*'", f"{BOTH}*"]),
        (None, None, []),
    ],
)
def test_old_lists(
    included: list[str] | None, excluded: list[str] | None, expected: list[str]
) -> None:
    found = problems(spec_of(includedResources=included, excludedResources=excluded))
    assert found == [OLD + each for each in expected]
    found = problems(spec_of(includedNamespaces=included, excludedNamespaces=excluded))
    assert found == [SPACES + each for each in expected]


@pytest.mark.parametrize(
    ("included", "excluded", "expected"),
    [
        (["*"], ["a"], []),
        ([], ["*"], []),
        (["*", "a"], [], [INCLUDES]),
        ([], ["*", "a"], [EXCLUDES]),
        (["a"], ["*"], ["when exclude is '*', include cannot have value"]),
        (["a"], ["a"], [f"{BOTH}a"]),
    ],
)
def test_scoped_lists(included: list[str], excluded: list[str], expected: list[str]) -> None:
    for scope, text in (("Cluster", CLUSTER), ("Namespace", INSIDE)):
        names = {
            f"included{scope}ScopedResources": included,
            f"excluded{scope}ScopedResources": excluded,
        }
        assert problems(spec_of(**names)) == [text + each for each in expected]


@pytest.mark.parametrize(
    "old",
    [
        {"includedResources": ["pods"]},
        {"excludedResources": ["pods"]},
        {"includeClusterResources": False},
        {"includeClusterResources": True},
    ],
)
@pytest.mark.parametrize(
    "scoped",
    [
        "includedClusterScopedResources",
        "excludedClusterScopedResources",
        "includedNamespaceScopedResources",
        "excludedNamespaceScopedResources",
    ],
)
def test_old_and_scoped_filters_do_not_go_together(old: Object, scoped: str) -> None:
    spec = spec_of(**old, **{scoped: ["secrets"]})
    assert problems(spec) == [MIXED_FILTERS]
    assert uses_old_filters(spec)
    assert uses_scoped_filters(spec)


def test_the_message_on_mixed_filters_has_three_lines() -> None:
    assert MIXED_FILTERS.splitlines() == [
        "include-resources, exclude-resources and include-cluster-resources are old filter "
        "parameters.",
        "include-cluster-scoped-resources, exclude-cluster-scoped-resources, "
        "include-namespace-scoped-resources and exclude-namespace-scoped-resources are new filter "
        "parameters.",
        "They cannot be used together",
    ]


RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", []),
        ("web", []),
        ("web-*", []),
        ("*-web", []),
        ("web?", []),
        ("web[0-9]", []),
        ("Web", [f'invalid namespace "Web": {RULE}']),
        ("web.site", ['invalid namespace "web.site": must not contain dots']),
        ("-*", [f'invalid namespace "-*": {RULE}']),
        ("a" * 64, [f'invalid namespace "{"a" * 64}": must be no more than 63 characters']),
        ("a|b", ["wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,"]),
        ("[!a]", ["wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,"]),
        ("a**", ["wildcard pattern contains consecutive asterisks (only single * allowed)"]),
        ("a[]", ["wildcard pattern contains empty bracket pattern '[]'"]),
        ("a[b", ["wildcard pattern contains unclosed bracket '['"]),
        ("ab]", ["wildcard pattern contains unmatched closing bracket ']'"]),
        ("[a]]", ["wildcard pattern contains unmatched closing bracket ']'"]),
    ],
)
def test_names_of_namespaces(name: str, expected: list[str]) -> None:
    assert problems(spec_of(includedNamespaces=[name])) == [SPACES + each for each in expected]
    assert problems(spec_of(excludedNamespaces=[name])) == [SPACES + each for each in expected]


def test_both_kinds_of_selectors_are_one_too_many() -> None:
    one = {"matchLabels": {"a": "b"}}
    assert problems(spec_of(labelSelector=one, orLabelSelectors=[one])) == [BOTH_SELECTORS]
    assert problems(spec_of(labelSelector=one, orLabelSelectors=[])) == [BOTH_SELECTORS]
    assert problems(spec_of(labelSelector=one)) == []
    assert problems(spec_of(orLabelSelectors=[one, one])) == []


def test_a_selector_that_makes_no_sense_is_refused() -> None:
    bad = {"matchExpressions": [{"key": "a", "operator": "Is", "values": ["b"]}]}
    assert problems(spec_of(labelSelector=bad)) == [
        'invalid labelSelector: "Is" is not a valid label selector operator'
    ]
    assert problems(spec_of(orLabelSelectors=[{}, bad])) == [
        'invalid orLabelSelectors: "Is" is not a valid label selector operator'
    ]
    hooks = {"resources": [{"name": "h"}, {"name": "i", "labelSelector": bad}]}
    assert problems(spec_of(hooks=hooks)) == [
        'invalid hooks.resources.labelSelector: "Is" is not a valid label selector operator'
    ]


def test_all_problems_are_told_in_the_order_of_velero() -> None:
    found = problems(
        spec_of(
            includeClusterResources=True,
            includedClusterScopedResources=["a"],
            includedResources=["*", "a"],
            includedNamespaces=["X"],
            excludedNamespaces=["*"],
        )
    )
    assert found == [
        MIXED_FILTERS,
        OLD + INCLUDES,
        SPACES + "excludes list cannot contain '*'",
        SPACES + f'invalid namespace "X": {RULE}',
    ]
