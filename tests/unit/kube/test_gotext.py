from typing import Any

import pytest

from kedge.kube.gotext import (
    Struct,
    float_text,
    json_kind,
    quote,
    to_json,
    to_text,
    type_text,
)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        pytest.param("plain", '"plain"', id="plain"),
        pytest.param('a"b\\c', r'"a\"b\\c"', id="quotes and backslashes"),
        pytest.param("\a\b\f\n\r\t\v", r'"\a\b\f\n\r\t\v"', id="short escapes"),
        pytest.param("\x00\x1b\x7f", r'"\x00\x1b\x7f"', id="control characters"),
        pytest.param("é日😀", '"é日😀"', id="printable letters stay"),
        pytest.param("\u200b\u00a0\ue000", r'"\u200b\u00a0\ue000"', id="unprintable in the plane"),
        pytest.param("\U000e0001", r'"\U000e0001"', id="unprintable beyond the plane"),
        pytest.param("\ud800", '"\ufffd"', id="half of a pair"),
        pytest.param("<&>", '"<&>"', id="HTML stays"),
    ],
)
def test_text_is_quoted_as_go_does(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (-3, "-3"),
        ("a<b>&\u2028\x01\n", '"a\\u003cb\\u003e\\u0026\\u2028\\u0001\\n"'),
        ("é\x7f", '"é\x7f"'),
        ("x\ud800é", '"x\ufffdé"'),
        ({"b": 1, "a": [{"d": 1, "c": None}]}, '{"a":[{"c":null,"d":1}],"b":1}'),
        (Struct(b=1, a={"d": 1, "c": 2}), '{"b":1,"a":{"c":2,"d":1}}'),
        ((1, 2), "[1,2]"),
        (0.0, "0"),
        (-0.5, "-0.5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.25e-7, "1.25e-7"),
        (1e-10, "1e-10"),
        (0.000001, "0.000001"),
    ],
)
def test_json_is_written_as_go_does(value: Any, text: str) -> None:
    assert to_json(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e6, "1e+06"),
        (123456.5, "123456.5"),
        (1234567.0, "1.234567e+06"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (100.0, "100"),
        (-1.5, "-1.5"),
        (0.0, "0"),
        (5e-324, "5e-324"),
    ],
)
def test_floats_are_printed_as_go_does(value: float, text: str) -> None:
    assert float_text(value) == text


def test_values_are_printed_as_go_does() -> None:
    value = {"b": None, "a": ["x", 1, True, 2.5, {"c": {}}]}
    assert to_text(value) == "map[a:[x 1 true 2.5 map[c:map[]]] b:<nil>]"


@pytest.mark.parametrize(
    ("value", "name", "kind"),
    [
        ("x", "string", "string"),
        (1, "int64", "number"),
        (1.5, "float64", "number"),
        (True, "bool", "bool"),
        ({}, "map[string]interface {}", "object"),
        ([], "[]interface {}", "array"),
        (None, "%!s(<nil>)", "null"),
    ],
)
def test_types_have_the_names_go_gives_them(value: Any, name: str, kind: str) -> None:
    assert (type_text(value), json_kind(value)) == (name, kind)
