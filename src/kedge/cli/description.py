"""An object in words, a fact a line, laid out as Velero does it."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from kedge.cli.durations import distance
from kedge.cli.objects import instant_in, part, time_text
from kedge.cli.screen import styled, visible
from kedge.cli.tabs import aligned

NONE = "<none>"
PADDING = 2


class Description:
    """Lines of cells; those of neighbouring lines are aligned in the end."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self.indent = 0
        """In front of every line, blank ones as well."""

    def line(self, *cells: str, depth: int = 0) -> None:
        """Add a line that is indented so deep; a tab in a cell does not tear it."""
        shown = [_safe(cell) for cell in cells]
        self._lines.append("\t" * (self.indent + depth) + "\t".join(shown))

    def blank(self) -> None:
        """Add an empty line."""
        self._lines.append("\t" * self.indent)

    def coloured(self, name: str, value: str, note: str = "", **style: bool | str) -> None:
        """Add a line whose value has a colour, where there is colour; a note behind it has none."""
        shown = styled(_safe(value), **style) if style else _safe(value)
        self._lines.append("\t" * self.indent + f"{name}\t{shown}{_safe(note)}")

    def state(self, name: str, value: str, colours: Mapping[str, str], note: str = "") -> None:
        """Add a line whose value has the colour that is known for it, if any."""
        style = {"fg": colours[value]} if value in colours else {}
        self.coloured(name, value, note, **style)

    def several(self, name: str, values: Iterable[str]) -> None:
        """Add a line a value, the name in front of the first."""
        for value in list(values) or [NONE]:
            self.line(name, value)
            name = ""

    def errors(self, name: str, values: Sequence[str] | None) -> None:
        """Add a part with errors in red, where there are any."""
        if values:
            self.blank()
        for number, value in enumerate(values or ()):
            self.coloured("" if number else name, value, fg="red")

    def pairs(self, name: str, pairs: Mapping[str, Any] | None) -> None:
        """Add keys with their values, sorted, the name in front of the first."""
        found = pairs or {}
        self.several(name, [f"{key}={found[key]}" for key in sorted(found)])

    def metadata(self, obj: Mapping[str, Any]) -> None:
        """Add what the descriptions of all kinds begin with."""
        meta = obj.get("metadata") or {}
        self.coloured("Name:", str(meta.get("name") or ""), bold=True)
        self.line("Namespace:", str(meta.get("namespace") or ""))
        for title in ("Labels", "Annotations"):
            self.pairs(f"{title}:", meta.get(title.lower()))

    def conditions(self, conditions: Any) -> None:
        """Add the conditions of a status, where there are any."""
        if not isinstance(conditions, list) or not conditions:
            return
        self.blank()
        self.line("Conditions:")
        self.line("Type", "Status", "Reason", "Since", "Message", depth=1)
        for one in conditions:
            since = time_text(part(one, "lastTransitionTime"), "<unknown>")
            words = [str(part(one, name) or "") for name in ("type", "status", "reason", "message")]
            self.line(*words[:3], since, words[3], depth=1)

    def __str__(self) -> str:
        """Write it; it ends with a newline."""
        return aligned("".join(f"{line}\n" for line in self._lines), padding=PADDING)


def listed(values: Sequence[str] | None, empty: str = NONE) -> str:
    """Write a list as one value."""
    return ", ".join(values) if values else empty


def flag(value: bool | None, absent: str, yes: str = "true", no: str = "false") -> str:
    """Write what may be true, false or not set."""
    if value is None:
        return absent
    return yes if value else no


def coming(text: str | None, present: datetime) -> str:
    """Write a time of the API that is to come, and how far away it is."""
    instant = instant_in(text)
    shown = time_text(text, NONE)
    return f"{shown} ({distance(instant - present)})" if instant is not None else shown


def _safe(text: str) -> str:
    return visible(text, sys.stdout)
