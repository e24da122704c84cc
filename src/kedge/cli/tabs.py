"""Text with tabs, aligned as Go's tabwriter does it: what Velero and kubectl print with."""

from functools import partial
from itertools import groupby


def aligned(text: str, *, padding: int, minimum: int = 0) -> str:
    r"""Put spaces in the place of tabs, so that the cells of neighbouring lines stand in columns.

    A cell ends with a tab; the last one of a line does not, and has no part in a column. A column
    goes on for as long as line after line has a cell in it.

    >>> aligned("a:\tb\nccc:\td\n", padding=2)
    'a:    b\nccc:  d\n'
    """
    lines = [line.split("\t") for line in text.split("\n")]
    for column in range(max(map(len, lines)) - 1):
        for has_cell, run in groupby(lines, partial(_reaches, column)):
            if has_cell:
                _align(list(run), column, padding, minimum)
    return "\n".join("".join(line) for line in lines)


def _reaches(column: int, line: list[str]) -> bool:
    return len(line) > column + 1


def _align(lines: list[list[str]], column: int, padding: int, minimum: int) -> None:
    widest = max(minimum, padding + max(len(line[column]) for line in lines))
    for line in lines:
        line[column] = line[column].ljust(widest)
