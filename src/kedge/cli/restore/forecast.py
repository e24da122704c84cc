"""What a restore would do, as a table with diffs and a line that counts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from kedge.cli.restore.preview import counts
from kedge.cli.screen import styled, visible
from kedge.cli.tabs import aligned

if TYPE_CHECKING:
    from kedge.engine.restore.preview import Change

HEADER: Final = ("ACTION", "RESOURCE", "NAMESPACE", "NAME", "REASON")
COLOURS: Final = {"created": "green", "updated": "yellow", "failed": "red"}
UNCHANGED: Final = "unchanged"
WORDS: Final = {
    "created": "to create",
    "updated": "to update",
    "skipped": "to skip",
    UNCHANGED: "unchanged",
    "failed": "that would fail",
}
_SIGNS: Final = {"+": "green", "-": "red", "@": "cyan"}


def forecast(name: str, backup: str, changes: Sequence[Change]) -> str:
    """Draw the table, the diffs of what would be changed, and the line that counts.

    What would stay as it is is counted only.
    """
    shown = [one for one in changes if str(one.action) != UNCHANGED]
    parts = [_table(shown)] if shown else []
    parts += [_diff(one) for one in shown if one.diff]
    parts.append(_summary(name, backup, changes))
    return "\n".join(parts)


def _table(changes: Sequence[Change]) -> str:
    rows = [HEADER, *(_row(one) for one in changes)]
    if not any(row[-1] for row in rows[1:]):
        rows = [row[:-1] for row in rows]
    text = "".join("\t".join(_safe(cell) for cell in row) + "\n" for row in rows)
    head, *lines = aligned(text, padding=3, minimum=6).splitlines()
    shown = [styled(head.rstrip(), bold=True)]
    for line, one in zip(lines, changes, strict=True):
        colour = COLOURS.get(str(one.action))
        shown.append(styled(line.rstrip(), fg=colour) if colour else line.rstrip())
    return "".join(f"{line}\n" for line in shown)


def _row(change: Change) -> tuple[str, ...]:
    place = change.place
    return (str(change.action), place.resource, place.namespace, place.name, change.reason)


def _diff(change: Change) -> str:
    place = change.place
    where = f"{place.namespace}/{place.name}" if place.namespace else place.name
    lines = [styled(_safe(f"{place.resource} {where}:"), bold=True)]
    for line in change.diff.splitlines():
        colour = _SIGNS.get(line[:1])
        shown = _safe(line)
        lines.append("  " + (styled(shown, fg=colour) if colour else shown))
    return "".join(f"{line}\n" for line in lines)


def _summary(name: str, backup: str, changes: Sequence[Change]) -> str:
    found = counts(changes)
    told = ", ".join(f"{found[action]} {words}" for action, words in WORDS.items())
    return f'Preview of restore "{name}" from backup "{backup}": {told}. Nothing was changed.\n'


def _safe(text: str) -> str:
    return visible(text, sys.stdout)
