"""What a location says is short, and holds no secret."""

import pytest

from kedge.controllers.location.message import tidy, unavailable

AZURE = """rpc error: RESPONSE 404: 404 The specified container does not exist.
ERROR CODE: ContainerNotFound
--------------------------------------------------------------------------------
<?xml version="1.0" encoding="utf-8"?><Error><Code>ContainerNotFound</Code><Message>The specified
container does not exist.
RequestId:12345
Time:2030-01-01</Message></Error>"""


def test_it_is_said_as_velero_says_it() -> None:
    assert unavailable("a", "no bucket") == 'BackupStorageLocation "a" is unavailable: no bucket'


@pytest.mark.parametrize("name", ["sig", "se", "sv", "X-Amz-Signature", "X-Amz-Credential"])
def test_what_lets_somebody_in_is_left_out(name: str) -> None:
    for sign in "?&":
        text = tidy(f'GET "https://host/x{sign}{name}=s3cr3t&other=1" failed')
        assert "s3cr3t" not in text
        assert f"{name}=***REDACTED***" in text
        assert "other=1" in text


def test_pages_are_condensed() -> None:
    assert tidy(AZURE) == "ContainerNotFound: The specified container does not exist."
    assert tidy("ERROR CODE: X\nRESPONSE 403: 403 This is not allowed.\nmore") == (
        "X: This is not allowed."
    )
    assert tidy("<Code>Only</Code><Message></Message>") == "Only"


def test_it_is_one_line_of_a_bounded_length() -> None:
    assert tidy("a\n  b\tc\x0b") == "a b c"
    assert len(tidy("x" * 5000)) == 1025
