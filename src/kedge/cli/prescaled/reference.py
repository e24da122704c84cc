"""What a name on the command line stands for: `report`, `pscj/report` or `cronjob/report`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kedge.cli.errors import Misuse
from kedge.cli.prescaled.kind import CRON_JOBS, PRESCALED, words

if TYPE_CHECKING:
    from kedge.cli.selection import Wanted
    from kedge.kube.kind import Kind, Object

Reference = tuple["Kind[Object]", str]
"""A kind, and the name of one of its objects."""


def reference(text: str, usual: Kind[Object]) -> Reference:
    """Read `kind/name`, or a name alone, which is one of the usual kind."""
    head, slash, name = text.partition("/")
    if not slash:
        return usual, text
    for kind in (PRESCALED, CRON_JOBS):
        if head.lower() in words(kind):
            return kind, name
    raise Misuse(f"{text!r} is neither cronjob/NAME nor prescaledcronjob/NAME")


def named(wanted: Wanted, kind: Kind[Object]) -> Wanted:
    """Give the same with bare names; Misuse where one is of another kind."""
    found = []
    for text in wanted.names:
        meant, name = reference(text, kind)
        if meant is not kind:
            raise Misuse(f"{text!r} is no {kind.name}")
        found.append(name)
    return replace(wanted, names=found)
