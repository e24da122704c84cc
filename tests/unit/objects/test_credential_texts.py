"""Credentials as files have them, and no text of theirs in an error."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.objects.credentials import LARGEST, read_credentials, read_lines, read_profile
from kedge.objects.errors import PlaceError

PROFILES = """\
# a comment
[default]
aws_access_key_id=AK
aws_secret_access_key = se=cr%et
; another comment
[profile shared]
aws_access_key_id: SHARED
[other]
AWS_ACCESS_KEY_ID = OTHER
"""


def test_a_profile_is_read_as_aws_does() -> None:
    assert read_profile(PROFILES, "default", shared=False) == {
        "aws_access_key_id": "AK",
        "aws_secret_access_key": "se=cr%et",
    }
    assert read_profile(PROFILES, "other", shared=False) == {"aws_access_key_id": "OTHER"}


def test_a_shared_config_has_another_form() -> None:
    assert read_profile(PROFILES, "shared", shared=True) == {"aws_access_key_id": "SHARED"}
    assert read_profile(PROFILES, "default", shared=True)["aws_access_key_id"] == "AK"
    with pytest.raises(PlaceError, match="no profile 'shared'; there are: 'default'"):
        read_profile(PROFILES, "shared", shared=False)


@pytest.mark.parametrize(
    "text", ["hush", "[default]\nhush hush\n", "aws_secret_access_key=hush", "[default\nhush=hush"]
)
def test_text_that_is_no_profile_is_told_and_not_shown(text: str) -> None:
    with pytest.raises(PlaceError, match="no profiles") as caught:
        read_profile(text, "default", shared=False)
    assert "hush" not in str(caught.value)
    assert caught.value.__cause__ is None


@given(st.text(max_size=200))
def test_any_text_gives_a_profile_or_an_error_of_ours(text: str) -> None:
    try:
        found = read_profile(f"[default]\n{text}", "default", shared=False)
    except PlaceError:
        return
    assert all(isinstance(value, str) for value in found.values())


def test_lines_of_azure_are_read_as_a_shell_would() -> None:
    text = """
# the account
AZURE_CLIENT_ID=id
export AZURE_TENANT_ID = tenant
QUOTED="a # b"  # why
SINGLE='x=y'
KEY=abc==
EMPTY=
COMMENT=value # rest
"""
    assert read_lines(text) == {
        "AZURE_CLIENT_ID": "id",
        "AZURE_TENANT_ID": "tenant",
        "QUOTED": "a # b",
        "SINGLE": "x=y",
        "KEY": "abc==",
        "EMPTY": "",
        "COMMENT": "value",
    }


def test_a_line_that_is_none_is_told_by_its_number() -> None:
    with pytest.raises(PlaceError, match="line 2") as caught:
        read_lines("A=1\nhush\n")
    assert "hush" not in str(caught.value)


def test_what_is_given_wins_over_files(tmp_path: Path) -> None:
    named, usual = tmp_path / "named", tmp_path / "usual"
    named.write_text("named")
    usual.write_bytes(b"\xef\xbb\xbfusual")
    assert read_credentials(b"given", str(named), str(usual), "x") == "given"
    assert read_credentials(None, str(named), str(usual), "x") == "named"
    assert read_credentials(None, "", str(usual), "x") == "usual"
    assert read_credentials(None, "", str(tmp_path / "missing"), "x") is None
    assert read_credentials(None, "", "", "x") is None


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"x" * (LARGEST + 1))
    for file, text in (
        (tmp_path / "missing", "No such file"),
        (tmp_path, "Is a directory"),
        (large, "too large"),
    ):
        with pytest.raises(PlaceError, match=text):
            read_credentials(None, str(file), "", "the AWS credentials")
    with pytest.raises(PlaceError, match="no text"):
        read_credentials(b"\xff\xfe\x00", "", "", "the AWS credentials")
