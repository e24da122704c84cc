"""The head of an answer, as it is asked for."""

import pytest

from kedge.client.head import Head

LINES = b"HTTP/1.1 429 Slow\r\nRetry-After:  7 \r\nX-A: b\r\nx-a: \xff"


def test_fields_are_told_in_their_order_with_names_in_lower_case() -> None:
    assert Head(LINES).fields == [("retry-after", "7"), ("x-a", "b"), ("x-a", "\udcff")]


def test_a_field_is_found_by_its_name_and_of_several_the_last_counts() -> None:
    head = Head(LINES)
    assert (head["retry-after"], head.get("x-a"), head.get("date")) == ("7", "\udcff", None)
    assert (list(head), len(head)) == (["retry-after", "x-a"], 2)
    with pytest.raises(KeyError):
        head["date"]


def test_no_head_has_no_fields() -> None:
    assert not Head()
    assert Head().fields == []


@pytest.mark.parametrize(
    ("lines", "warns"),
    [
        (b"HTTP/1.1 200 OK\r\nWARNING: 299 - x", True),
        (b"HTTP/1.1 200 Warning: none\r\nX-Warning: 1", False),
    ],
)
def test_a_warning_is_a_field_of_that_name(lines: bytes, warns: bool) -> None:
    assert Head(lines).warns is warns
