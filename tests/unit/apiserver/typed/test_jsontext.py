"""JSON is read as Go reads it, to the wording of errors."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.apiserver.typed.jsontext import MAX_DEPTH, Pairs, parse
from kedge.kube.goerror import GoError
from kedge.kube.gonumbers import Literal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "unexpected end of JSON input"),
        (b'{"a":1', "unexpected end of JSON input"),
        (b'"abc', "unexpected end of JSON input"),
        (b"tru", "invalid character ' ' in literal true (expecting 'e')"),
        (b"-", "invalid character ' ' in numeric literal"),
        (b'"\\', "invalid character ' ' in string escape code"),
        (b'{"a":1,}', "invalid character '}' looking for beginning of object key string"),
        (b"{'a':1}", r"invalid character '\'' looking for beginning of object key string"),
        (b'{"a":1 "b"', "invalid character '\"' after object key:value pair"),
        (b"[1 2]", "invalid character '2' after array element"),
        (b'{"a" 1}', "invalid character '1' after object key"),
        (b"{} x", "invalid character 'x' after top-level value"),
        (b'"\x01"', r"invalid character '\x01' in string literal"),
        (b'"\\u12x"', r"invalid character 'x' in \u hexadecimal character escape"),
        (b"1.x", "invalid character 'x' after decimal point in numeric literal"),
        (b"1ex", "invalid character 'x' in exponent of numeric literal"),
        (b"\xef\xbb\xbf{}", "invalid character 'ï' looking for beginning of value"),
        (b"NaN", "invalid character 'N' looking for beginning of value"),
        (b"[" * (MAX_DEPTH + 1), "invalid character '[' exceeded max depth"),
    ],
)
def test_a_fault_is_told_in_gos_words(text: bytes, message: str) -> None:
    with pytest.raises(GoError) as caught:
        parse(text)
    assert caught.value.text == message


def test_texts_as_deep_as_go_reads_are_read() -> None:
    value = parse(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    depth = 0
    while value:
        value, depth = value[0], depth + 1
    assert depth == MAX_DEPTH - 1


def test_doubled_keys_and_the_text_of_numbers_are_kept() -> None:
    value = parse(b'{"a":1.50,"a":2}')
    assert value == [("a", 1.5), ("a", 2)]
    assert value[0][1].text == "1.50"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (rb'"\ud83d\ude00"', "😀"),
        (rb'"\ud800x"', "\ufffdx"),
        (b'"\xff\xfe"', "\ufffd\ufffd"),
        (b'"\xe2\x82a"', "\ufffd\ufffda"),
        (rb'"\"\\\/\b\f\n\r\t\u00e9"', '"\\/\b\f\n\r\té'),
    ],
)
def test_what_is_no_text_becomes_the_replacement_character(raw: bytes, text: str) -> None:
    assert parse(raw) == text


def plain(value: Any) -> Any:
    if isinstance(value, Pairs):
        return {key: plain(item) for key, item in value}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return float(value) if isinstance(value, Literal) else value


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, 1]))
def test_what_python_writes_is_read(value: Any, indent: int | None) -> None:
    assert plain(parse(json.dumps(value, indent=indent).encode())) == value


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        parse(data)
    except GoError:
        return
