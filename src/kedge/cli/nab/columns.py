"""The columns of requests in a table: those that kubectl shows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from kedge.cli.nab.request import Asking, phase_of, position
from kedge.cli.objects import NONE, Column, instant_in, name_of, part

if TYPE_CHECKING:
    from kedge.kube.kind import Object

UNKNOWN = "<unknown>"


def age(obj: Object, present: datetime) -> str:
    """Write how old an object is."""
    from kedge.kube.ages import human_duration

    made = instant_in(part(obj, "metadata", "creationTimestamp"))
    return UNKNOWN if made is None else human_duration(present - made)


def columns(asking: Asking) -> Sequence[Column]:
    """Give the columns of a kind of request."""

    def items(obj: Object, _: datetime) -> str:
        progress = asking.progress(obj)
        return NONE if progress is None else f"{progress[0]}/{progress[1]}"

    def queue(obj: Object, _: datetime) -> str:
        told = part(obj, "status", "queueInfo") is not None
        return str(position(obj)) if told else NONE

    return (
        Column("Name", lambda one, _: name_of(one)),
        Column("Request", lambda one, _: phase_of(one) or NONE),
        Column(asking.noun, lambda one, _: asking.state(one)),
        Column("Queue", queue),
        Column("Items", items),
        Column("Age", age),
    )
