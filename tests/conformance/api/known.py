"""The differences that we know of: the table in docs/conformance.md."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "conformance.md"
_ROW = re.compile(r"\| `(?P<id>[^`]+)` \| (?P<step>\d+) \| (?P<reason>[^|]+) \|")


def known() -> dict[tuple[str, int], str]:
    """Read the table: conversation and number of the step, with the reason."""
    rows = _ROW.finditer(PAGE.read_text())
    return {(row["id"], int(row["step"])): row["reason"].strip() for row in rows}
