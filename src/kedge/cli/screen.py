"""What an output can show: colour or not, which characters, how many columns they take."""

import os
import sys
import unicodedata
from typing import TextIO

import click

COLOUR = "kedge.colour"
"""Where a command keeps that its user wants colour, or none, whatever the output is."""


def is_terminal() -> bool:
    """Say whether a person is looking at stdout."""
    return sys.stdout is not None and sys.stdout.isatty()


def has_colour() -> bool:
    """Say whether stdout is a terminal that may be coloured (no-color.org)."""
    context = click.get_current_context(silent=True)
    if context is not None and COLOUR in context.meta:
        return bool(context.meta[COLOUR])
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return is_terminal()


def styled(text: str, **style: bool | str) -> str:
    """Colour a text as `click.style` does, or leave it as it is where there is no colour."""
    return click.style(text, **style) if text and has_colour() else text  # type: ignore[arg-type]


def can_show(text: str, stream: TextIO | None = None) -> bool:
    """Say whether a stream, stdout if none is named, can encode a text."""
    encoding = getattr(stream or sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def visible(text: str, stream: TextIO | None = None) -> str:
    """Write characters that would not show, or that would move the cursor, as escapes."""
    stream = stream or sys.stderr
    return "".join(c if _shows(c) and can_show(c, stream) else _escaped(c) for c in text)


def width(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    return sum(_columns(c) for c in text)


def _shows(character: str) -> bool:
    # Controls, separators and marks: all but the plain space are unseen or joined to a neighbour.
    return character == " " or unicodedata.category(character)[0] not in "CZM"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
