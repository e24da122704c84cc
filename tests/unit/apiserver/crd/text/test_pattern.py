from typing import Any

import pytest

from kedge.apiserver.crd.text.pattern import PatternError, compiled, matcher
from tests.unit.apiserver.crd.recording import lines

HEAD, *CASES = lines("patterns")


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["pattern"]))
def test_patterns_match_and_fail_as_in_go(case: Any) -> None:
    if "error" in case:
        with pytest.raises(PatternError) as caught:
            matcher(case["pattern"])
        assert str(caught.value) == case["error"]
    else:
        matches = matcher(case["pattern"])
        assert [text for text in HEAD["texts"] if matches(text)] == case["matches"]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        pytest.param(r"\pL+", "äΩ", True, id="letters of any script"),
        pytest.param(r"^\p{Greek}+$", "αβγ", True, id="a script"),
        pytest.param(r"^\P{L}+$", "12", True, id="anything but letters"),
        pytest.param(r"^[\p{Lu}0-9]+$", "AÉ1", True, id="a category within a set"),
        pytest.param("^a$", "a\n", False, id="a dollar is the end of the text"),
        pytest.param(r"^\d$", "٣", False, id="digits are those of ASCII"),
        pytest.param("(?i)straße", "STRAßE", True, id="case beyond ASCII"),
    ],
)
def test_unicode_is_understood_as_go_does(pattern: str, text: str, expected: bool) -> None:
    assert matcher(pattern)(text) is expected


def test_lazy_repetition_finds_the_shortest_match() -> None:
    found = compiled("a+?").search("aaa")
    assert found is not None
    assert found[0] == "a"


def test_unknown_scripts_are_refused() -> None:
    with pytest.raises(PatternError, match="invalid character class range"):
        matcher(r"\p{Klingon}")


def test_a_text_that_python_would_never_finish_is_decided() -> None:
    pytest.importorskip("re2", reason="the extra kedge[cel] is not installed")
    assert not matcher("^(a+)+$")("a" * 60 + "b")
