import pytest

from kedge.cli.table import facts, table
from tests.unit.cli.conftest import look_at_stdout


def test_columns_are_aligned_without_blanks_at_the_end() -> None:
    assert table(("A", "LONG"), [("first", "x"), ("2", "")]) == (
        "A       LONG\n"
        "first   x\n"
        "2\n"
    )  # fmt: skip


def test_a_column_with_nothing_in_it_is_left_out() -> None:
    assert table(("A", "NOTE", "B"), [("1", "", "2")]) == "A   B\n1   2\n"


def test_wide_characters_take_two_columns() -> None:
    assert table(("A", "B"), [("日本", "x"), ("abcd", "y")]).splitlines()[1:] == [
        "日本   x",
        "abcd   y",
    ]


def test_no_rows_are_no_table() -> None:
    assert table(("A", "B"), []) == ""


def test_faint_rows_stand_back_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    look_at_stdout(monkeypatch)
    _, plain, faint = table(("A",), [("1",), ("2",)], faint={1}).splitlines()
    assert "\x1b[2m" in faint
    assert "\x1b[2m" not in plain


def test_facts_are_aligned() -> None:
    assert facts([("Mode", "static"), ("Z", "UTC")]) == "Mode   static\nZ      UTC\n"
