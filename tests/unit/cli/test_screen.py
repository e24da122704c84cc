import io
import sys

import pytest

from kedge.cli.screen import can_show, has_colour, styled, visible, width
from tests.unit.cli.conftest import look_at_stdout


def stream(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "0"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
    ],
)
def test_a_terminal_is_coloured_unless_the_user_says_no(
    monkeypatch: pytest.MonkeyPatch, env: dict[str, str], expected: bool
) -> None:
    look_at_stdout(monkeypatch)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert has_colour() is expected
    assert (styled("x", bold=True) != "x") is expected


def test_a_file_is_never_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    look_at_stdout(monkeypatch)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert styled("x", bold=True) == "x"


def test_a_process_without_stdout_has_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert styled("x", bold=True) == "x"
    assert can_show("●")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0 8 * * 1-5", "0 8 * * 1-5"),
        ("a\tb", "a\\tb"),
        ("a\nb", "a\\nb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\u200bb", "a\\u200bb"),
        ("a\u00a0b", "a\\xa0b"),
        ("e\u0301", "e\\u0301"),
        ("\udcff", "\\udcff"),
        ("日本", "日本"),
    ],
)
def test_what_would_not_show_is_escaped(text: str, shown: str) -> None:
    assert visible(text, stream("utf-8")) == shown


def test_what_an_output_cannot_encode_is_escaped() -> None:
    assert visible("é日", stream("ascii")) == "\\xe9\\u65e5"


@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-8", True), ("ascii", False), ("latin-1", False)]
)
def test_can_show_asks_the_encoding(encoding: str, expected: bool) -> None:
    assert can_show("●", stream(encoding)) is expected


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("", 0)])
def test_width_counts_columns_and_not_characters(text: str, columns: int) -> None:
    assert width(text) == columns
