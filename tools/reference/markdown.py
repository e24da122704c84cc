"""Pieces of Markdown: tables, and parts of a page that are written by a program."""

import re
from collections.abc import Callable, Iterable, Sequence

PART = re.compile(
    r"^<!-- made: (?P<name>.+?) -->\n(?P<body>(?:.*\n)*?)<!-- made end -->$", re.MULTILINE
)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; cells may hold anything."""
    lines = [head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n".replace("|  |", "| |") for line in lines)


def code(text: str) -> str:
    """Write a text as code."""
    return f"`{text}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def remade(text: str, make: Callable[[str], str]) -> str:
    """Write the parts of a page anew that lie between `made` marks; the rest is by hand."""

    def part(found: re.Match[str]) -> str:
        return (
            f"<!-- made: {found['name']} -->\n\n{make(found['name']).strip()}\n\n<!-- made end -->"
        )

    return PART.sub(part, text)
