"""Varints, tags and the way over unknown fields."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.apiserver.protobuf.wire import (
    delimited,
    heads_of,
    parts,
    read_length,
    read_varint,
    signed,
    skip,
    varint,
)
from kedge.kube.goerror import GoError


@pytest.mark.parametrize(
    ("number", "data"),
    [
        (0, b"\x00"),
        (127, b"\x7f"),
        (128, b"\x80\x01"),
        (300, b"\xac\x02"),
        (16383, b"\xff\x7f"),
        (16384, b"\x80\x80\x01"),
        (-1, b"\xff" * 9 + b"\x01"),
    ],
)
def test_integers_are_written_in_groups_of_seven_bits(number: int, data: bytes) -> None:
    assert varint(number) == data


@given(st.integers(-(2**63), 2**63 - 1))
def test_an_integer_is_read_as_it_was_written(number: int) -> None:
    data = varint(number)
    found, end = read_varint(data, 0, len(data))
    assert (signed(found, 64), end) == (number, len(data))


def test_the_heads_of_short_fields_are_those_of_long_ones() -> None:
    for size in (0, 1, 127):
        assert heads_of(17)[size] + b"x" * size == delimited(17, b"x" * size)


@pytest.mark.parametrize(
    ("number", "bits", "result"),
    [(2**32 - 1, 32, -1), (2**64 - 5, 32, -5), (2**31, 32, -(2**31)), (7, 64, 7)],
)
def test_an_integer_is_cut_to_its_size(number: int, bits: int, result: int) -> None:
    assert signed(number, bits) == result


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "unexpected EOF"),
        (b"\x80", "unexpected EOF"),
        (b"\xff" * 11, "proto: integer overflow"),
        (b"\x05abc", "unexpected EOF"),
        (b"\xff" * 9 + b"\x01", "proto: negative length found during unmarshaling"),
    ],
)
def test_a_broken_length_is_told_in_the_words_of_go(data: bytes, text: str) -> None:
    with pytest.raises(GoError) as caught:
        read_length(data, 0, len(data))
    assert caught.value.text == text


@pytest.mark.parametrize(
    "field",
    [
        b"\x08\x96\x01",
        b"\x09" + bytes(8),
        b"\x0d" + bytes(4),
        b"\x0a\x03abc",
        b"\x0b\x08\x01\x13\x14\x0c",
    ],
    ids=["varint", "fixed64", "fixed32", "delimited", "groups"],
)
def test_a_field_of_any_kind_is_passed_over(field: bytes) -> None:
    assert skip(field + b"more", 0, len(field) + 4) == len(field)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x09\x00", "unexpected EOF"),
        (b"\x0a\x7fa", "unexpected EOF"),
        (b"\x0b", "unexpected EOF"),
        (b"\x0f", "proto: illegal wireType 7"),
        (b"\x0c", "proto: unexpected end of group"),
        (b"\x0a" + b"\xff" * 9 + b"\x01", "proto: negative length found during unmarshaling"),
    ],
)
def test_a_broken_field_is_not_passed_over(data: bytes, text: str) -> None:
    with pytest.raises(GoError) as caught:
        skip(data, 0, len(data))
    assert caught.value.text == text


def test_small_messages_are_taken_apart_and_unknown_fields_left_out() -> None:
    data = b"\x08\x05" + delimited(9, b"unknown") + delimited(2, b"ab")
    found = list(parts(data, 0, len(data), "M", {1: ("A", 0), 2: ("B", 2)}))
    assert [(part.number, part.integer, data[part.start : part.stop]) for part in found] == [
        (1, 5, b""),
        (2, 0, b"ab"),
    ]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x0a\x00", "proto: wrong wireType = 2 for field A"),
        (b"\x0c", "proto: M: wiretype end group for non-group"),
        (b"\x00\x00", "proto: M: illegal tag 0 (wire type 0)"),
    ],
)
def test_small_messages_name_what_is_wrong(data: bytes, text: str) -> None:
    with pytest.raises(GoError) as caught:
        list(parts(data, 0, len(data), "M", {1: ("A", 0)}))
    assert caught.value.text == text
