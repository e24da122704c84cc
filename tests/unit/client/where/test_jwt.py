import base64
import json
from datetime import UTC, datetime

import pytest

from kedge.client.where.jwt import expiry
from tests.unit.client.where.material import jwt


def token(payload: bytes) -> str:
    return f"e30.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}.x"


def test_the_end_is_told() -> None:
    end = datetime(2030, 1, 1, tzinfo=UTC)
    assert expiry(jwt(end)) == end


@pytest.mark.parametrize(
    ("exp", "year"),
    [(0, 1970), (1893456000.5, 2030), (1e300, 9999), (-1e300, 1), (10**40, 9999), (-1, 1969)],
)
def test_any_number_is_a_time(exp: float, year: int) -> None:
    found = expiry(token(json.dumps({"exp": exp}).encode()))
    assert found is not None
    assert found.year == year


def test_a_token_without_an_end_ended_long_ago() -> None:
    found = expiry(token(b"{}"))
    assert found is not None
    assert found.year == 1970


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.b",
        "a.b.c.d",
        "a.!.c",
        "a.é.c",
        token(b"[]"),
        token(b"null"),
        token(b"{"),
        token(b"\xff"),
        token(b'{"exp": "x"}'),
        token(b'{"exp": true}'),
        token(b'{"exp": null}'),
        token(b'{"exp": NaN}'),
        token(b"[" * 100_000),
    ],
)
def test_what_is_no_token(text: str) -> None:
    assert expiry(text) is None
