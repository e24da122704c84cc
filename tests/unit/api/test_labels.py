"""Names that fit into a label, as Velero shortens them."""

import re
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.api.velero import labels
from kedge.api.velero.labels import valid_name

NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789-.", min_size=1, max_size=253)


@pytest.mark.parametrize("size", [1, 62, 63])
def test_a_name_that_fits_stays(size: int) -> None:
    assert valid_name("n" * size) == "n" * size


@pytest.mark.parametrize("size", [64, 100, 253])
def test_a_longer_name_is_cut_and_marked_with_its_digest(size: int) -> None:
    name = "n" * size
    assert valid_name(name) == "n" * 57 + sha256(name.encode()).hexdigest()[:6]


@given(NAMES)
def test_what_comes_out_fits_and_stays_when_shortened_again(name: str) -> None:
    short = valid_name(name)
    assert len(short) <= 63
    assert valid_name(short) == short


@given(NAMES.filter(lambda name: len(name) > 63))
def test_names_that_begin_alike_do_not_become_one(name: str) -> None:
    assert valid_name(name) != valid_name(name + "x")


def test_no_two_labels_are_the_same() -> None:
    keys = [value for name, value in vars(labels).items() if name.isupper() and "/" in str(value)]
    assert len(keys) == len(set(keys))
    assert all(re.search(r"(^|\.)velero\.io/", key) for key in keys)
