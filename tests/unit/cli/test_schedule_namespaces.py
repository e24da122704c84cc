"""Lists of namespaces that a template may have."""

import pytest

from kedge.cli.backup.namespaces import namespace_problems

PATTERN = "wildcard pattern contains "


@pytest.mark.parametrize(
    ("included", "excluded"),
    [
        (["*"], []),
        (["*"], ["kube-system", "team-*"]),
        (["a", "team-?", "x[ab]"], ["b"]),
        ([], []),
        ([""], []),
    ],
)
def test_lists_that_make_sense_are_taken(included: list[str], excluded: list[str]) -> None:
    assert namespace_problems(included, excluded) == []


@pytest.mark.parametrize(
    ("included", "excluded", "problems"),
    [
        (
            ["*", "a"],
            [],
            ["includes list must either contain '*' only, or a non-empty list of items"],
        ),
        (["a"], ["*"], ["excludes list cannot contain '*'"]),
        (
            ["a", "b"],
            ["b", "b", "a"],
            [
                "excludes list cannot contain an item in the includes list: b",
                "excludes list cannot contain an item in the includes list: a",
            ],
        ),
        (["a**"], [], [f"{PATTERN}consecutive asterisks (only single * allowed)"]),
        (["a[]"], [], [f"{PATTERN}empty bracket pattern '[]'"]),
        (["a[b"], [], [f"{PATTERN}unclosed bracket '['"]),
        (["a]b"], [], [f"{PATTERN}unmatched closing bracket ']'"]),
        (["a|b"], [], [f"{PATTERN}unsupported characters: |, (, ), !, {{, }}, ,"]),
    ],
)
def test_lists_that_make_none_are_told_in_velero_words(
    included: list[str], excluded: list[str], problems: list[str]
) -> None:
    assert namespace_problems(included, excluded) == problems


@pytest.mark.parametrize("name", ["Upper", "a_b", "-a", "x" * 64])
def test_a_name_that_no_namespace_has_is_told(name: str) -> None:
    (problem,) = namespace_problems([name], [])
    assert problem.startswith(f'invalid namespace "{name}": ')
