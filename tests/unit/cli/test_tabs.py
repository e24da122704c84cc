import pytest

from kedge.cli.tabs import aligned


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("Name:\ta\nNamespace:\tb\n", "Name:       a\nNamespace:  b\n", id="columns"),
        pytest.param("Name:\ta\n\nNamespace:\tb\n", "Name:  a\n\nNamespace:  b\n", id="blocks"),
        pytest.param("\tA:\tx\n\n\tBBB:\ty\n", "  A:  x\n\n  BBB:  y\n", id="indent"),
        pytest.param("\tA:\tx\n\t\n\tB:\ty\n", "  A:  x\n  \n  B:  y\n", id="blank but indented"),
        pytest.param("a\tb\tc\naaa\tb\n", "a    b  c\naaa  b\n", id="a shorter line"),
        pytest.param(
            "long text without a tab\na:\tb\n", "long text without a tab\na:  b\n", id="no"
        ),
        pytest.param("", "", id="nothing"),
    ],
)
def test_cells_stand_in_columns_as_go_aligns_them(text: str, shown: str) -> None:
    assert aligned(text, padding=2) == shown


def test_a_column_may_have_a_least_width() -> None:
    assert aligned("A\tB\nx\ty\n", padding=3, minimum=6) == "A     B\nx     y\n"
