"""Keys are plain paths, and nothing else is taken for one."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.objects.errors import PlaceError
from kedge.objects.keys import LONGEST, check_key, folder_of, join

ODD = st.text(st.sampled_from("ab./\\ \x00\nä%~"), max_size=12)


@given(ODD)
def test_a_key_that_is_taken_stays_below_its_folder(text: str) -> None:
    try:
        key = check_key(text)
    except PlaceError:
        return
    path = PurePosixPath("/root", key)
    assert key == text
    assert str(path) == f"/root/{key}"
    assert ".." not in path.parts
    assert all(part and part != "." for part in key.split("/"))
    assert not key.startswith("/")


@given(st.lists(st.from_regex(r"[a-z0-9][a-z0-9.-]{0,20}", fullmatch=True), min_size=1, max_size=5))
def test_names_of_kubernetes_are_always_good_keys(names: list[str]) -> None:
    assert check_key("/".join(names)) == "/".join(names)


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("", "empty part"),
        ("/a", "empty part"),
        ("a//b", "empty part"),
        ("a/../b", r"'\.\.'"),
        ("a/./b", r"'\.'"),
        ("a\x7f", "control"),
        ("a\\b", "backslash"),
        ("ä" * LONGEST, "longer"),
        ("\udc80", "Unicode"),
    ],
)
def test_what_is_wrong_with_a_key_is_told(key: str, problem: str) -> None:
    with pytest.raises(PlaceError, match=problem):
        check_key(key)


def test_a_long_key_is_not_told_whole() -> None:
    with pytest.raises(PlaceError) as caught:
        check_key("x" * 5000)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("text", "folder"), [("", ""), ("/", ""), ("a", "a"), ("/a/b/", "a/b"), ("//a", "a")]
)
def test_slashes_around_a_folder_go(text: str, folder: str) -> None:
    assert folder_of(text) == folder


def test_a_folder_has_no_way_up() -> None:
    with pytest.raises(PlaceError, match="prefix"):
        folder_of("a/../..")


@pytest.mark.parametrize(
    ("folder", "key", "path"), [("", "k", "k"), ("f", "k", "f/k"), ("f", "", "f"), ("", "", "")]
)
def test_a_key_is_put_below_a_folder(folder: str, key: str, path: str) -> None:
    assert join(folder, key) == path
