"""A report as one screen of text."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from kedge.cli.durations import distance
from kedge.cli.screen import is_terminal, styled, visible, width

if TYPE_CHECKING:
    from kedge.cli.status.report import Coming, Problem, Ran, Report, Subject, Waiting

ROWS: Final = 5
"""Lines of a part, so that all parts fit on one screen."""
GAP: Final = "  "
BAD: Final = frozenset({"Failed", "PartiallyFailed", "FailedValidation"})
NAMES: Final = {
    "NonAdminBackup": "nab",
    "NonAdminRestore": "nar",
    "NonAdminBackupStorageLocation": "nabsl",
    "NonAdminBackupStorageLocationRequest": "request",
    "BackupStorageLocation": "location",
    "PreScaledCronJob": "prescaled",
}
"""How kinds are called where there is little room."""
OF_TENANTS: Final = frozenset(
    {"NonAdminBackup", "NonAdminRestore", "NonAdminBackupStorageLocation", "PreScaledCronJob"}
)
"""Kinds whose objects are in the namespaces of those who use them."""
Row = tuple[Sequence[str], str]
"""Cells, and the colour of the line."""


def drawn(report: Report, program: str) -> str:
    """Draw a report. Ends with a newline."""
    columns = shutil.get_terminal_size().columns if is_terminal() else 0
    lines = [_headline(report)]
    lines += _part("RAN", [_ran(one, report) for one in report.ran], report.ran_total, "nothing")
    lines += _part("NEXT", [_coming(one, report) for one in report.coming], None, "nothing")
    lines += _waiting(report)
    lines += _problems("WRONG", report.wrong, "red")
    lines += _problems("NOTICE", report.notices, "yellow")
    lines += [""] if report.unseen else []
    lines += [f"Not seen: {visible(one, sys.stdout)}" for one in report.unseen]
    if len(report.wrong) > ROWS or len(report.notices) > ROWS or len(report.waiting) > ROWS:
        lines += ["", f"All of it: {program} status -o yaml"]
    return "".join(f"{_cut(line, columns)}\n" for line in lines)


def _headline(report: Report) -> str:
    server = report.server
    told = {"running": "runs", "away": "does not run"}.get(server.state, "can not be seen")
    text = f"Server {told}" + (f": {visible(server.detail, sys.stdout)}" if server.detail else "")
    count = len(report.wrong)
    verdict = {0: "nothing is wrong", 1: "1 thing is wrong"}.get(count, f"{count} things are wrong")
    return f"{text}; {_coloured(verdict, 'red' if count else 'green')}"


def _waiting(report: Report) -> list[str]:
    rows = [_waits(one, report) for one in report.waiting]
    lines = _part("WAITS", rows, None, "nothing")
    shown = report.waiting[:ROWS]
    return lines + [f"{GAP}do: {one.fix}" for one in shown if one.fix]


def _part(title: str, rows: Sequence[Row], total: int | None, empty: str) -> list[str]:
    """Draw aligned rows under a title; those that have no room are counted."""
    lines = ["", styled(title, bold=True)]
    if not rows:
        return [*lines, f"{GAP}{empty}"]
    shown = rows[:ROWS]
    cells = [[visible(cell, sys.stdout) for cell in row] for row, _ in shown]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    for line, (_, colour) in zip(cells, shown, strict=True):
        lines.append(GAP + _coloured(_joined(line, widths), colour))
    more = (len(rows) if total is None else total) - len(shown)
    return [*lines, f"{GAP}and {more} more"] if more > 0 else lines


def _problems(title: str, problems: Sequence[Problem], colour: str) -> Iterator[str]:
    if not problems:
        return
    yield from ("", styled(title, bold=True))
    for one in problems[:ROWS]:
        text = f"{_named(one.subject)}: {one.text}"
        yield GAP + _coloured(visible(text, sys.stdout), colour)
        yield f"{GAP}{GAP}do: {visible(one.fix, sys.stdout)}"
    if len(problems) > ROWS:
        yield f"{GAP}and {len(problems) - ROWS} more"


def _ran(one: Ran, report: Report) -> Row:
    counts = [
        f"{number} {noun}{'' if number == 1 else 's'}"
        for number, noun in ((one.errors, "error"), (one.warnings, "warning"))
        if number
    ]
    when = _ago(one.at, report.at)
    cells = (_named(one.subject), one.phase, when, ", ".join(counts))
    return cells, "red" if one.phase in BAD else ""


def _coming(one: Coming, report: Report) -> Row:
    from kedge.cli.instants import stamp

    when = distance(one.at - report.at) if one.at > report.at else "due"
    return (_named(one.subject), one.what, stamp(one.at), when), ""


def _waits(one: Waiting, report: Report) -> Row:
    place = f"number {one.position}" if one.position else ""
    return (_named(one.subject), one.phase, place, _ago(one.since, report.at), one.note), ""


def _ago(at: datetime | None, present: datetime) -> str:
    # Clocks differ: what has been can not be to come.
    return distance(min(at, present) - present) if at is not None else ""


def _named(subject: Subject) -> str:
    """Name an object; that of a namespace of somebody's with the namespace."""
    kind = NAMES.get(subject.kind, subject.kind.lower())
    place = f"{subject.namespace}/" if subject.kind in OF_TENANTS and subject.namespace else ""
    return f"{kind} {place}{subject.name}"


def _joined(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (room - width(cell)) for cell, room in zip(cells, widths, strict=True))
    return GAP.join(one for one, room in zip(padded, widths, strict=True) if room).rstrip()


def _coloured(text: str, colour: str) -> str:
    return styled(text, fg=colour) if colour else text


def _cut(line: str, columns: int) -> str:
    """Shorten a line to the screen, but never a command: that is there to be copied."""
    plain = _unstyled(line)
    if not columns or width(plain) <= columns or plain.lstrip().startswith("do: "):
        return line
    kept, room = "", columns - 3
    for character in plain:
        if width(kept) + width(character) > room:
            break
        kept += character
    return f"{kept}..."


def _unstyled(line: str) -> str:
    import click

    return click.unstyle(line)
