import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.runtime.accept import choices, takes_gzip, wants_openmetrics

OPEN = "application/openmetrics-text"


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("", False),
        ("*/*", False),
        ("text/plain", False),
        (OPEN, True),
        (OPEN.upper(), True),
        (f"{OPEN}; version=1.0.0", True),
        (f'{OPEN}; version="1.0.0"', True),
        (f"{OPEN};version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1", True),
        (f"{OPEN};version=1.0.0;q=0.4,text/plain;q=0.5", False),
        (f"text/plain,{OPEN}", True),
        (f"{OPEN};q=0", False),
        (f"{OPEN};version=0.0.1", False),
        (f"{OPEN};version=2.0.0,text/plain", False),
        (f"{OPEN};version=0.0.1;q=0.9,{OPEN};version=1.0.0;q=0.5", True),
        (f"{OPEN};q=x", False),
        (f"{OPEN};q=2", False),
        (f"{OPEN};q=nan", False),
        (f"{OPEN};q=-1", False),
        ("image/png", False),
        (";;;,,,=;q=", False),
        (f" {OPEN} ; version = 1.0.0 ", True),
    ],
)
def test_openmetrics_is_given_to_those_who_want_it(header: str, wanted: bool) -> None:
    assert wants_openmetrics(header) is wanted


@pytest.mark.parametrize(
    ("header", "taken"),
    [
        ("", False),
        ("gzip", True),
        ("GZIP", True),
        ("deflate, gzip;q=0.5", True),
        ("gzip;q=0", False),
        ("gzip;q=0.0, *", False),
        ("*", True),
        ("*;q=0", False),
        ("identity", False),
        ("br, zstd", False),
        ("xgzip", False),
        ("gzip;q=much", False),
    ],
)
def test_gzip_is_given_to_those_who_read_it(header: str, taken: bool) -> None:
    assert takes_gzip(header) is taken


@given(st.text(alphabet=st.characters(max_codepoint=255)))
def test_no_header_breaks_anything(header: str) -> None:
    assert all(0 <= choice.weight <= 1 for choice in choices(header))
    wants_openmetrics(header)
    takes_gzip(header)
