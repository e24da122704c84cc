"""Tables in Markdown that also read well on a terminal."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Lay out a Markdown table: the first `left` columns hold words, the others numbers."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    lines.insert(1, ["-" * w if i < left else "-" * (w - 1) + ":" for i, w in enumerate(widths)])
    return "\n".join(_line(line, widths, left) for line in lines)


def _line(texts: Sequence[str], widths: Sequence[int], left: int) -> str:
    pairs = enumerate(zip(texts, widths, strict=True))
    cells = [text.ljust(w) if i < left else text.rjust(w) for i, (text, w) in pairs]
    return "| " + " | ".join(cells) + " |"
