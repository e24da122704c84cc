from typing import Any

import pytest

from kedge.client.where import document
from kedge.client.where.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("a: 12:30", "12:30", id="no base of sixty"),
        pytest.param("a: 2020-01-01", "2020-01-01", id="a date is text"),
        pytest.param("a: 2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z", id="a time is text"),
        pytest.param("a: =", "=", id="equals sign"),
        pytest.param("a: <<", "<<", id="merge sign as a value"),
        pytest.param("a: y", True, id="y is true"),
        pytest.param("a: Off", False, id="off is false"),
        pytest.param("a: oN", "oN", id="odd case is text"),
        pytest.param("a: 1_000", 1000, id="number with underscores"),
        pytest.param("a: 014", 12, id="octal"),
        pytest.param("a: 0o14", 12, id="new octal"),
        pytest.param("a: 0x1F", 31, id="hexadecimal"),
        pytest.param("a: 0b11", 3, id="binary"),
        pytest.param("a: 08", 8, id="eight is no octal digit"),
        pytest.param("a: 1e3", 1000.0, id="exponent"),
        pytest.param("a: .5", 0.5, id="fraction"),
        pytest.param("a: -.inf", float("-inf"), id="infinity"),
        pytest.param("a: 0.1.2", "0.1.2", id="version"),
        pytest.param("a: _1", "_1", id="underscore first"),
        pytest.param("a: ~", None, id="tilde"),
        pytest.param("a:", None, id="nothing"),
        pytest.param("a: ''", "", id="empty text"),
        pytest.param("a: !!str 5", "5", id="text by tag"),
        pytest.param("a: '5'", "5", id="quoted"),
        pytest.param("a: 1\na: 2", 2, id="the last of two keys counts, as for kubectl"),
        pytest.param('{"a": "b"}', "b", id="JSON"),
        pytest.param('{\n\t"a": "\\u00e9"\n}', "é", id="JSON with tabs and escapes"),
        pytest.param("a: b\n---\na: c", "b", id="first document"),
        pytest.param("x: &x {a: b}\n<<: *x", "b", id="merge"),
    ],
)
def test_scalars_mean_what_they_mean_to_kubectl(text: str, value: Any) -> None:
    assert document.read(text.encode(), "f")["a"] == value


@pytest.mark.parametrize("text", [b"", b"# nothing\n", b"---\n", b"null"])
def test_an_empty_document_is_nothing(text: bytes) -> None:
    assert document.read(text, "f") is None


@pytest.mark.parametrize(
    "text",
    [
        b"token: [hunter2",
        b"token: \xff\xfehunter2",
        b"token: !hunter2 x",
        b"\x00hunter2",
        b"a: *hunter2",
        b"? {hunter2: x}\n: y",
        b'a: "hunter2\\ud800"',
        b"[" * 100_000,
        b"a: !!int hunter2",
    ],
)
def test_broken_text_is_named_and_not_quoted(text: bytes) -> None:
    with pytest.raises(ConfigError, match=r"^/etc/f: ") as caught:
        document.read(text, "/etc/f")
    assert "hunter2" not in str(caught.value)
    assert caught.value.__context__ is None


def test_the_place_of_an_error_is_told() -> None:
    with pytest.raises(ConfigError, match="not valid YAML in line 2, column 4"):
        document.read(b"a: b\nc: @d", "f")


def test_what_is_written_reads_the_same() -> None:
    value = {"a": "y", "b": "12", "c": True, "d": None, "e": ["", "1e3", "é"], "f": {"g": "<<"}}
    assert document.read(document.write(value), "f") == value
