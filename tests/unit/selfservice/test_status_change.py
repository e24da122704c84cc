"""Changes: what a merge patch says, no more and no less."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.selfservice.change import change_to

LEAF = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers(), max_size=2)
VALUE = st.recursive(LEAF, lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3))
OBJECT = st.dictionaries(st.sampled_from("abcd"), VALUE, max_size=4)


def merged(old: Any, patch: Any) -> Any:
    """Apply a merge patch, as RFC 7386 says."""
    if not isinstance(patch, dict):
        return patch
    result = dict(old) if isinstance(old, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: bare(each) for name, each in value.items() if each is not None}
    return value


@given(OBJECT, OBJECT)
def test_a_server_that_takes_the_change_has_what_is_wanted(old: Any, new: Any) -> None:
    assert merged(bare(old), change_to(bare(old), new)) == bare(new)


@given(OBJECT)
def test_what_is_the_same_needs_no_change(same: Any) -> None:
    assert change_to(bare(same), same) == {}


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        (None, {"a": 1}, {"a": 1}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {"a": {"c": None}}),
        ({"a": [1]}, {"a": []}, {"a": []}),
        ({"a": 1}, {"a": {"b": None, "c": 1}}, {"a": {"c": 1}}),
        ({"a": {"b": 1}}, {}, {"a": None}),
    ],
)
def test_a_change_is_as_small_as_it_can_be(old: Any, new: Any, change: Any) -> None:
    assert change_to(old, new) == change
