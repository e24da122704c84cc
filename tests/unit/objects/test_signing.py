"""Signed URLs: only what was signed, only as long as was signed."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.objects.errors import Refused
from kedge.objects.signing import PATH, UrlExpired, sign, verify

SECRET = b"s" * 32
NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=10)
PATHS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\\"), min_size=1
).filter(lambda text: "/" not in (text[0], text[-1]) and "//" not in text)


def opened(url: str) -> tuple[str, dict[str, str]]:
    """Read a URL as a server does."""
    parts = urlsplit(url)
    return unquote(parts.path.removeprefix(PATH)), dict(parse_qsl(parts.query))


@given(PATHS)
def test_what_was_signed_is_good(path: str) -> None:
    got, query = opened(sign(SECRET, "http://kedge:1", path, LATER))
    assert got == path
    verify(SECRET, got, query, NOW)


def test_a_url_is_at_the_address_of_the_server() -> None:
    assert sign(SECRET, "https://kedge:8443/", "b/k", LATER).startswith(
        "https://kedge:8443/objects/b/k?expires="
    )


@pytest.mark.parametrize(
    ("now", "is_good"),
    [
        pytest.param(LATER - timedelta(seconds=1), True, id="a second before"),
        pytest.param(LATER, False, id="at the end"),
        pytest.param(LATER + timedelta(days=1), False, id="a day after"),
    ],
)
def test_a_url_ends_at_its_time(now: datetime, is_good: bool) -> None:
    path, query = opened(sign(SECRET, "", "b/k", LATER))
    if is_good:
        verify(SECRET, path, query, now)
        return
    with pytest.raises(UrlExpired, match="expired"):
        verify(SECRET, path, query, now)


@given(path=PATHS, other=PATHS, secret=st.binary(min_size=1), seconds=st.integers(0, 10**12))
def test_nothing_else_is_good(path: str, other: str, secret: bytes, seconds: int) -> None:
    _, query = opened(sign(SECRET, "", path, LATER))
    if other != path:
        with pytest.raises(Refused):
            verify(SECRET, other, query, NOW)
    if secret != SECRET:
        with pytest.raises(Refused):
            verify(secret, path, query, NOW)
    if seconds != int(LATER.timestamp()):
        with pytest.raises(Refused):
            verify(SECRET, path, {**query, "expires": str(seconds)}, NOW)


@given(st.dictionaries(st.sampled_from(["expires", "signature", "x"]), st.text()))
def test_queries_of_others_are_refused(query: dict[str, str]) -> None:
    with pytest.raises(Refused):
        verify(SECRET, "b/k", query, NOW)
