import pytest

from kedge.client.where import headers
from kedge.client.where.entries import Impersonation, User
from kedge.client.where.errors import ConfigError


def acting(**whom: object) -> list[tuple[str, str]]:
    user = User("users[me].user", impersonation=Impersonation(**whom))  # type: ignore[arg-type]
    return list(headers.impersonating(user).items())


def test_nobody_to_act_as_is_no_header() -> None:
    assert acting() == []


def test_each_group_and_each_value_is_a_header() -> None:
    assert acting(user="u", uid="1", groups=("a", "b"), extra={"k": ("v", "w")}) == [
        ("Impersonate-User", "u"),
        ("Impersonate-Uid", "1"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-k", "v"),
        ("Impersonate-Extra-k", "w"),
    ]


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("plain", "plain"),
        ("example.org/x", "example.org%2Fx"),
        ("100%", "100%25"),
        ("a b:c", "a%20b%3Ac"),
        ("é", "%C3%A9"),
        ("!#$&'*+-.^_`|~", "!#$&'*+-.^_`|~"),
    ],
)
def test_keys_are_escaped_for_a_header(key: str, written: str) -> None:
    assert headers.escaped(key) == written


@pytest.mark.parametrize("whom", [{"uid": "1"}, {"groups": ("g",)}, {"extra": {"a": ("b",)}}])
def test_a_user_must_be_named(whom: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"users\[me\]\.user\.as must name a user"):
        acting(**whom)


@pytest.mark.parametrize(
    ("whom", "field"),
    [
        ({"user": "a\nb"}, r"\.as must"),
        ({"user": "a", "uid": "\r"}, r"\.as-uid must"),
        ({"user": "a", "groups": ("ok", "\0")}, r"\.as-groups\[1\] must"),
        ({"user": "a", "extra": {"k": ("\x7f",)}}, r"\.as-user-extra must"),
    ],
)
def test_headers_cannot_be_smuggled_in(whom: dict[str, object], field: str) -> None:
    with pytest.raises(ConfigError, match=field):
        acting(**whom)


def test_a_token_with_a_line_end_is_named_and_not_shown() -> None:
    with pytest.raises(ConfigError, match=r"^the token must not hold line ends") as caught:
        headers.bearer("hunter2\n", "the token")
    assert "hunter2" not in str(caught.value)


def test_passwords_are_encoded_in_utf_8() -> None:
    assert headers.basic("me", "pä:ss") == "Basic bWU6cMOkOnNz"
