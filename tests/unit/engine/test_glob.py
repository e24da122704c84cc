import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.engine.glob import is_pattern, matcher
from kedge.engine.includes import Includes


@pytest.mark.parametrize(
    ("pattern", "takes", "leaves"),
    [
        ("web", ["web"], ["webs", "we", ""]),
        ("*", ["", "web", "a.b"], []),
        ("web-*", ["web-", "web-1"], ["web", "a-web-1"]),
        ("*.apps", ["deployments.apps"], ["deployments", "apps"]),
        ("w?b", ["web", "wib"], ["wb", "weeb"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "x"]),
        ("[abc]x", ["bx"], ["-x"]),
        ("[!abc]x", ["dx"], ["ax"]),
        ("[a-]x", ["ax", "-x"], ["bx"]),
        ("{dev,test}-*", ["dev-1", "test-1"], ["prod-1"]),
        ("{a,b{c,d}}", ["a", "bc", "bd"], ["b", "be"]),
        ("a\\*b", ["a*b"], ["axb"]),
        ("a.b", ["a.b"], ["axb"]),
        ("a+b", ["a+b"], ["aab"]),
    ],
)
def test_a_pattern_matches_as_people_write_it(
    pattern: str, takes: list[str], leaves: list[str]
) -> None:
    assert [name for name in takes if not matcher(pattern)(name)] == []
    assert [name for name in leaves if matcher(pattern)(name)] == []


@pytest.mark.parametrize("pattern", ["[", "[]", "a]", "{a", "a}", "[z-a]", "a\\", "[a-", "{a,b"])
def test_what_is_no_pattern_matches_itself_only(pattern: str) -> None:
    assert matcher(pattern)(pattern)
    assert not matcher(pattern)("a")


@given(st.text("abc*?", max_size=6), st.text("abc", max_size=6))
def test_stars_and_question_marks_are_those_of_a_shell(pattern: str, name: str) -> None:
    assert matcher(pattern)(name) == bool(re.match(fnmatch.translate(pattern), name))


@given(st.text(max_size=8))
def test_a_plain_text_matches_itself(text: str) -> None:
    if not is_pattern(text):
        assert matcher(text)(text)


@pytest.mark.parametrize(
    ("included", "excluded", "name", "expected"),
    [
        ([], [], "a", True),
        (None, None, "a", True),
        (["*"], [], "a", True),
        (["a"], [], "a", True),
        (["a"], [], "b", False),
        (["a*"], ["ab"], "ab", False),
        (["a*"], ["ab"], "ac", True),
        ([], ["a*"], "ab", False),
        (["*"], ["a"], "b", True),
    ],
)
def test_lists_include_and_leave_out(
    included: list[str] | None, excluded: list[str] | None, name: str, expected: bool
) -> None:
    assert Includes.of(included, excluded).has(name) is expected


@pytest.mark.parametrize(
    ("included", "excluded", "expected"),
    [([], [], True), (["*"], [], True), (["a"], [], False), (["*", "a"], [], False),
     ([], ["a"], False), (["*"], ["a"], False)],
)  # fmt: skip
def test_everything_is_all_without_exception(
    included: list[str], excluded: list[str], expected: bool
) -> None:
    assert Includes.of(included, excluded).everything is expected
