"""Tokens that are just known."""

import stat
from pathlib import Path

import pytest

from kedge.apiserver.auth.tokens import TokenFileError, admin, admin_token, load_tokens
from kedge.apiserver.auth.users import User


def test_a_file_gives_users_with_uid_and_groups(tmp_path: Path) -> None:
    path = tmp_path / "tokens.csv"
    path.write_text('t1,alice,1,"devs,ops"\n\nt2,bob,2\n,nobody,3\nt1,eve,4,\n')
    assert load_tokens(path) == {
        "t1": User("eve", "4", ("", "system:authenticated")),
        "t2": User("bob", "2", ("system:authenticated",)),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t1,alice\n", "must have at least 3 columns (token, user name, user uid), found 2"),
        ('t1,"alice"x,1\n', "expected after"),
    ],
)
def test_a_file_that_can_not_be_read_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "tokens.csv"
    path.write_text(text)
    with pytest.raises(TokenFileError, match=r"tokens\.csv") as caught:
        load_tokens(path)
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TokenFileError, match=r"absent\.csv"):
        load_tokens(tmp_path / "absent.csv")


def test_the_administrator_keeps_one_token(tmp_path: Path) -> None:
    token = admin_token(tmp_path)
    assert len(token) >= 40
    assert admin_token(tmp_path) == token
    assert stat.S_IMODE((tmp_path / "admin.token").stat().st_mode) == 0o600
    assert admin().is_master
