"""Columns of text, aligned."""

from collections.abc import Collection, Sequence

from kedge.cli.screen import styled, width

GAP = "   "


def table(header: Sequence[str], rows: Sequence[Sequence[str]], faint: Collection[int] = ()) -> str:
    """Align rows under a header; a column with nothing in it is left out.

    The rows whose numbers are in `faint` stand back where there is colour. Ends with a newline.
    """
    kept = [n for n in range(len(header)) if any(row[n] for row in rows)]
    lines = [[line[n] for n in kept] for line in (header, *rows)]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    texts = [_joined(line, widths) for line in lines]
    shown = [styled(texts[0], bold=True)]
    shown += [styled(text, dim=n in faint) for n, text in enumerate(texts[1:])]
    return "".join(f"{text}\n" for text in shown if text)


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Align names and values, a pair a line. Ends with a newline."""
    widest = max(width(name) for name, _ in pairs)
    return "".join(f"{name}{' ' * (widest - width(name))}{GAP}{value}\n" for name, value in pairs)


def _joined(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell + " " * (columns - width(cell)) for cell, columns in zip(cells, widths, strict=True)
    ]
    return GAP.join(padded).rstrip()
