import io
import sys

import pytest

from kedge.cli.cron.carets import point_at


@pytest.mark.parametrize(
    ("text", "position", "length", "picture"),
    [
        pytest.param("0 25 * * *", 2, 2, "  0 25 * * *\n    ^^\n", id="plain"),
        pytest.param("61 * * * *", 0, 2, "  61 * * * *\n  ^^\n", id="at the start"),
        pytest.param("* * * *", 7, 0, "  * * * *\n         ^\n", id="nothing, at the end"),
        pytest.param("", 0, 0, "  \n  ^\n", id="nothing at all"),
        pytest.param("0\t25 * * *", 2, 2, "  0\\t25 * * *\n     ^^\n", id="behind a tab"),
        pytest.param("0 8\x1b * * *", 2, 2, "  0 8\\x1b * * *\n    ^^^^^\n", id="with a control"),
        pytest.param("日本 25 * * *", 3, 2, "  日本 25 * * *\n       ^^\n", id="behind wide text"),
        pytest.param("0 日本 * * *", 2, 2, "  0 日本 * * *\n    ^^^^\n", id="wide text"),
        pytest.param("e\u0301 25", 3, 2, "  e\\u0301 25\n          ^^\n", id="behind a mark"),
    ],
)
def test_the_carets_stand_under_the_piece(
    text: str, position: int, length: int, picture: str
) -> None:
    assert point_at(text, position, length) == picture


def test_escapes_for_an_output_that_is_not_utf8_move_the_carets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert point_at("é 25", 2, 2) == "  \\xe9 25\n       ^^\n"


@pytest.mark.parametrize("position", [0, 100, 500, 990, 996])
def test_a_long_text_is_cut_around_the_piece(position: int) -> None:
    text = "1," * 500
    text = text[:position] + "WRONG" + text[position:]
    shown, carets = point_at(text, position, 5).splitlines()
    assert max(len(shown), len(carets)) <= 79
    start = carets.index("^")
    assert shown[start : len(carets)] == "WRONG"
    assert shown.startswith("  ...") == (position > 72)
    assert shown.endswith("...") == (position < 990)


def test_a_piece_that_is_too_long_is_cut_too() -> None:
    shown, carets = point_at("* * " + "9" * 100_000 + " *", 4, 100_000).splitlines()
    assert max(len(shown), len(carets)) <= 79
    assert shown.startswith("  * * 999")
    assert carets == "      " + "^" * (len(shown) - len("  * * ..."))
