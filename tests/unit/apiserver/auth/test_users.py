"""Users, and the names of service accounts."""

import pytest

from kedge.apiserver.auth.users import NOBODY, User, authenticated, split_account


def test_whoever_has_shown_who_they_are_is_in_the_group_of_those() -> None:
    assert authenticated(User("eve", groups=("a",))).groups == ("a", "system:authenticated")


@pytest.mark.parametrize(
    "user",
    [
        pytest.param(NOBODY, id="anonymous"),
        pytest.param(User("a", groups=("system:authenticated", "b")), id="is in it"),
        pytest.param(User("a", groups=("system:unauthenticated",)), id="is in the opposite"),
    ],
)
def test_the_group_is_not_added_to(user: User) -> None:
    assert authenticated(user) is user


def test_a_user_shows_only_what_is_known_of_them() -> None:
    assert User("eve").info == {"username": "eve"}
    assert User("").info == {}
    whole = User("eve", "7", ("a", "b"), {"z": ("1",), "y": ("2", "3")})
    assert whole.info == {
        "username": "eve",
        "uid": "7",
        "groups": ["a", "b"],
        "extra": {"y": ["2", "3"], "z": ["1"]},
    }


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("system:serviceaccount:ns:sa", ("ns", "sa")),
        ("system:serviceaccount:ns:a.b", ("ns", "a.b")),
        ("system:serviceaccount:NS:sa", None),
        ("system:serviceaccount:ns:sa:x", None),
        ("system:serviceaccount:ns", None),
        ("system:serviceaccount::sa", None),
        ("eve", None),
    ],
)
def test_only_a_proper_user_name_is_a_service_account(
    name: str, parts: tuple[str, str] | None
) -> None:
    assert split_account(name) == parts
