"""Rules: what they allow and cover."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.apiserver.auth.rules import Rule, atoms, combinations, compact, missing


@pytest.mark.parametrize(
    ("rule", "resource", "subresource", "allowed"),
    [
        (("pods",), "pods", "", True),
        (("pods",), "pods", "log", False),
        (("pods/log",), "pods", "log", True),
        (("pods/log",), "pods", "", False),
        (("*/scale",), "deployments", "scale", True),
        (("*/scale",), "deployments", "status", False),
        (("*/scale",), "scale", "", False),
        (("*",), "pods", "exec", True),
        (("pods/*",), "pods", "log", False),
    ],
)
def test_a_rule_names_resources_and_subresources(
    rule: tuple[str, ...], resource: str, subresource: str, allowed: bool
) -> None:
    found = Rule(("get",), ("",), rule).allows_resource("get", "", resource, subresource)
    assert found is allowed


@pytest.mark.parametrize(
    ("verb", "group", "allowed"),
    [("get", "apps", True), ("list", "apps", False), ("get", "", False)],
)
def test_verb_and_group_must_fit(verb: str, group: str, allowed: bool) -> None:
    rule = Rule(("get",), ("apps",), ("*",))
    assert rule.allows_resource(verb, group, "deployments", "") is allowed


@pytest.mark.parametrize(
    ("own", "path", "covered"),
    [
        ("*", "", True),
        ("*", "/api", True),
        ("/*", "", False),
        ("/*", "/foo", True),
        ("/apis", "/api", False),
        ("/api/v1", "/api/v1", True),
        ("/api/*", "/api/v1", True),
        ("/api/*", "/api", False),
        ("/*/v1/*", "/api/v1", False),
    ],
)
def test_a_path_may_end_in_a_star(own: str, path: str, covered: bool) -> None:
    assert Rule(("get",), paths=(own,)).allows_path("get", path) is covered
    assert Rule(("get",), paths=(own,)).covers(Rule(("get",), paths=(path,))) is covered


@pytest.mark.parametrize(
    ("held", "wanted", "lacking"),
    [
        pytest.param(
            [Rule(("*",), ("*",), ("*",))],
            [Rule(("get",), ("apps",), ("pods/log",), ("a",))],
            [],
            id="everything covers anything",
        ),
        pytest.param(
            [Rule(("get",), ("",), ("*/scale",))],
            [Rule(("get",), ("",), ("foo/scale",))],
            [],
            id="a subresource of all resources",
        ),
        pytest.param(
            [Rule(("delete", "update"), ("v1",), ("a", "b")), Rule(("delete",), ("v1",), ("c",))],
            [Rule(("delete", "update"), ("v1",), ("a", "b", "c"))],
            [Rule(("update",), ("v1",), ("c",))],
            id="several rules together",
        ),
        pytest.param(
            [Rule(("get",), ("",), ("pods",), ("a", "b"))],
            [Rule(("get",), ("",), ("pods",))],
            [Rule(("get",), ("",), ("pods",))],
            id="names do not cover all names",
        ),
        pytest.param(
            [Rule(("get",), ("",), ("pods",))],
            [Rule(("get",), ("",), ("pods",), ("a",))],
            [],
            id="all names cover a name",
        ),
        pytest.param(
            [Rule(("get", "list"), ("",), ("a", "b"))],
            [Rule(("*",), ("",), ("a",))],
            [Rule(("*",), ("",), ("a",))],
            id="a list is not a star",
        ),
        pytest.param(
            [Rule(("*",), paths=("/apis/*",))],
            [Rule(("get",), paths=("/apis", "/apis/v1"))],
            [Rule(("get",), paths=("/apis",))],
            id="paths",
        ),
    ],
)
def test_rights_that_are_not_held_are_found(
    held: list[Rule], wanted: list[Rule], lacking: list[Rule]
) -> None:
    assert missing(held, wanted) == lacking


def test_verbs_on_the_same_resource_are_shown_together() -> None:
    rule = Rule(("get", "list"), ("", "apps"), ("pods",))
    path = Rule(("get",), paths=("/x",))
    assert [str(one) for one in compact(atoms([rule, path]))] == [
        '{NonResourceURLs:["/x"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}',
    ]


_few = st.lists(st.sampled_from(["a", "b", "*", "a/b", "*/b"]), max_size=3).map(tuple)
_rules = st.builds(Rule, _few, _few, _few, _few, _few)


@given(st.lists(_rules, max_size=3))
def test_rules_cover_themselves_and_their_atoms_are_counted(rules: list[Rule]) -> None:
    assert len(list(atoms(rules))) == combinations(rules)
    # An empty name list in a rule with names is what Kubernetes means by "all names".
    assert missing(list(atoms(rules)), rules) == []
