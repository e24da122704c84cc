"""Point at a piece of a text."""

import sys

from kedge.cli.screen import visible, width

COLUMNS = 72
"""How much of a text is shown; with the indent it fits a terminal of 80."""
MARGIN = 20
"""How much of that may lie before the piece."""
CUT = "..."


def point_at(text: str, position: int, length: int) -> str:
    """Show a text with carets under a piece of it, on two lines; a long one is cut around it."""
    pieces = [visible(character, sys.stderr) for character in text]
    start = _start(pieces, position)
    before = (CUT if start else "") + "".join(pieces[start:position])
    piece = _fitting(pieces[position : position + length], COLUMNS - width(before))
    rest = pieces[position + len(piece) :]
    after = _fitting(rest, COLUMNS - width(before) - width("".join(piece)))
    shown = before + "".join(piece + after) + (CUT if len(after) < len(rest) else "")
    carets = "^" * max(1, width("".join(piece)))
    return f"  {shown}\n  {' ' * width(before)}{carets}\n"


def _start(pieces: list[str], position: int) -> int:
    """Return where to start, so that the piece is in sight."""
    if width("".join(pieces)) <= COLUMNS:
        return 0
    start, columns = position, 0
    while start and columns + width(pieces[start - 1]) <= MARGIN:
        start -= 1
        columns += width(pieces[start])
    return start


def _fitting(pieces: list[str], columns: int) -> list[str]:
    """Return as many pieces as columns can hold."""
    for count, piece in enumerate(pieces):
        columns -= width(piece)
        if columns < 0:
            return pieces[:count]
    return pieces
