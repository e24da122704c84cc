"""JSON values drawn at random, small enough to be read."""

from typing import Any

from hypothesis import strategies as st

SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "x", "é/~"])
KEYS = st.sampled_from(["a", "b", "c", "a/b", "~"])


def values(scalars: st.SearchStrategy[Any] = SCALARS) -> st.SearchStrategy[Any]:
    """Draw a value."""
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=8,
    )


def objects(scalars: st.SearchStrategy[Any] = SCALARS) -> st.SearchStrategy[dict[str, Any]]:
    """Draw an object."""
    return st.dictionaries(KEYS, values(scalars), max_size=4)
