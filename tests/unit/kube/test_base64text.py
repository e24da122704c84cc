"""Base64 is read as Go's StdEncoding reads it."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.base64text import canonical
from kedge.kube.goerror import GoError


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ""), ("YQ==", "YQ=="), ("YQ==\n", "YQ=="), ("YW\r\nJj", "YWJj"), ("YR==", "YQ==")],
)
def test_what_go_takes_is_written_as_go_writes_it(text: str, expected: str) -> None:
    assert canonical(text) == expected


@pytest.mark.parametrize(
    ("text", "byte"),
    [
        ("!!", 0),
        ("YQ", 0),
        ("Y", 0),
        ("YQ=", 3),
        ("YQ=x", 2),
        ("YQ==x", 4),
        ("=", 0),
        ("YWJj=", 4),
        ("YWJjY", 4),
        ("YW\nJ", 1),
    ],
)
def test_what_go_refuses_is_refused_at_the_same_byte(text: str, byte: int) -> None:
    with pytest.raises(GoError, match=f"^illegal base64 data at input byte {byte}$"):
        canonical(text)


@given(st.binary(max_size=200))
def test_every_encoding_is_its_own_canonical_form(data: bytes) -> None:
    text = base64.b64encode(data).decode()
    assert canonical(text) == text
    assert canonical(base64.encodebytes(data).decode()) == text
