"""Unique names: they fit, they are names, and they keep what they can."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.names import is_label_value, subdomain_name
from kedge.selfservice.marks import is_nacuuid
from kedge.selfservice.nacuuid import nacuuid_for

U = "0d0b7b2c-ee76-412d-a867-2c23b8aa51ab"
LABEL = st.from_regex(r"\A[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\Z")
NAME = st.lists(LABEL, min_size=1, max_size=3).map(".".join)


@pytest.mark.parametrize(
    ("namespace", "name", "expected"),
    [
        ("mongo-persistent", "anothertest-and-more", f"mongo-persistent-anotherte-{U}"),
        ("shop", "nightly", f"shop-nightly-{U}"),
        ("n" * 24, "abc", f"{'n' * 24}-a-{U}"),
        ("n" * 25, "abc", f"{'n' * 25}-{U}"),
        ("n" * 26, "abc", f"{'n' * 25}-{U}"),
        ("n" * 63, "abc", f"{'n' * 25}-{U}"),
        ("", "r" * 26, f"{'r' * 26}-{U}"),
        ("", "r" * 27, f"{'r' * 25}-{U}"),
        ("a" * 20, "db11.prod", f"{'a' * 20}-db11-{U}"),
        ("a" * 22, "x-y", f"{'a' * 22}-x-y-{U}"),
        ("a" * 23, "x-y", f"{'a' * 23}-x-{U}"),
        ("a" * 24 + "-b", "c", f"{'a' * 24}-{U}"),
    ],
)
def test_as_much_as_fits_is_kept(namespace: str, name: str, expected: str) -> None:
    assert nacuuid_for(namespace, name, U) == expected


@given(LABEL, NAME)
def test_every_one_is_a_name_and_a_label(namespace: str, name: str) -> None:
    made = nacuuid_for(namespace, name, U)
    assert len(made) <= 63
    assert made.endswith(U)
    assert str(UUID(made[-36:])) == U
    assert not subdomain_name(made)
    assert is_label_value(made)
    assert is_nacuuid(made)


@pytest.mark.parametrize("text", ["", "..", "a/b", "A", "x" * 64, "-a", "a-", "a_b", "a.-b", "ü"])
def test_what_is_no_name_is_told_apart(text: str) -> None:
    assert not is_nacuuid(text)
