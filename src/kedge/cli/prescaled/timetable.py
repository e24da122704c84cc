"""What comes of a PreScaledCronJob, as a table for people and as a document for programs."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from kedge.cli.cron.rows import Span, rows_of
from kedge.cli.durations import distance, span
from kedge.cli.instants import in_zone, reading, stamp
from kedge.cli.prescaled.coming import Coming, Pair
from kedge.cli.table import facts, table
from kedge.controllers.prescaled.plan import Static

BY_ITSELF = "each warm-up is scheduled by itself"


def described(coming: Coming, present: datetime) -> str:
    """Write the facts and the table. Ends with a newline."""
    plan = coming.plan
    rows = [
        ("PreScaledCronJob", coming.name),
        ("Schedule", coming.given.expression),
        ("In words", coming.given.schedule.explain()),
        ("Lead", "given by hand" if plan.lead is None else span(plan.lead, units=4)),
        ("Mode", plan.mode.value),
    ]
    if isinstance(plan, Static):
        rows += [("Primer", f"{one} ({plan.zone})") for one in plan.expressions]
    else:
        rows.append(("Primer", BY_ITSELF))
    rows += [("Note", note) for note in coming.notes]
    return f"{facts(rows)}\n{_table(coming, present)}"


def document(coming: Coming) -> dict[str, Any]:
    """Give the same for programs."""
    plan = coming.plan
    minutes = None if plan.lead is None else int(plan.lead.total_seconds()) // 60
    return {
        "name": coming.name,
        "namespace": coming.namespace,
        "schedule": coming.given.expression,
        "zone": coming.given.schedule.zone,
        "warmUpTimeMins": minutes,
        "mode": plan.mode.value,
        "primerSchedules": list(plan.expressions) if isinstance(plan, Static) else [],
        "primerZone": plan.zone,
        "notes": list(coming.notes),
        "next": [
            {
                "warmUp": stamp(pair.warm_up) if pair.warm_up else None,
                "run": stamp(pair.run),
                "note": pair.note,
            }
            for pair in coming.pairs
        ],
    }


def _table(coming: Coming, present: datetime) -> str:
    """Draw the table, with a line for each run that a clock change takes away."""
    if not coming.pairs:
        return "no warm-ups and no runs in this time\n"
    by_run: dict[datetime, list[Pair]] = defaultdict(list)
    for one in coming.pairs:
        by_run[one.run].append(one)
    rows: list[tuple[str, ...]] = []
    faint = set()
    for row in rows_of(coming.given, list(by_run), Span(present, coming.pairs[-1].run)):
        found: list[Pair | None] = [*by_run[row.at]] if row.is_run else [None]
        for pair in found:
            if pair is None or pair.warm_up is None:
                faint.add(len(rows))
            notes = "; ".join(filter(None, (pair.note if pair else "", row.note)))
            rows.append((*_warm_up(coming, pair, present), reading(row.local), notes))
    header = (f"WARM-UP ({coming.given.schedule.zone})", "UTC", "FROM NOW", "FOR THE RUN AT")
    return table((*header, "NOTE"), rows, faint)


def _warm_up(coming: Coming, pair: Pair | None, present: datetime) -> tuple[str, str, str]:
    if pair is None or pair.warm_up is None:
        return "", "", ""
    at = pair.warm_up
    return reading(in_zone(at, coming.given.zone)), stamp(at), distance(at - present)
