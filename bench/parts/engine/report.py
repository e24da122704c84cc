"""Turn a result of the engine into Markdown that also reads well on a terminal."""

from parts.engine.plan import SPREAD
from parts.engine.result import MEBIBYTE, Bulk, Queue, Result, Where
from parts.goal import goals_table
from parts.machine import scene
from parts.quantile import quantile
from parts.table import table


def render(result: Result) -> str:
    """Write the whole report."""
    parts = [scene(result), _goals(result)]
    parts += [_bulk("Backups", result.backups), _bulk("Restores", result.restores)]
    parts += [_empties(result), _queues("one namespace", result.queues)]
    parts += [_queues(f"{SPREAD} namespaces", result.spreads)]
    return "\n\n".join(parts) + "\n"


def _goals(result: Result) -> str:
    return "### Goals\n\n" + goals_table(result.goals())


def _bulk(title: str, runs: dict[Where, dict[int, Bulk]]) -> str:
    head = (
        *("who", "API server", "files", "objects", "seconds", "objects/s", "CPU ms"),
        *("API CPU ms", "requests", "peak MiB", "load"),
    )
    rows = []
    for where, at in runs.items():
        for size, one in at.items():
            served = one.server_cpu_seconds / one.count * 1000
            rows.append(
                [
                    *(where.who, where.server, where.store, f"{size:,}", f"{one.seconds:.2f}"),
                    *(f"{one.rate:,.0f}", f"{one.cpu_milliseconds:.3f}", f"{served:.2f}"),
                    *(f"{one.requests / one.count:.3f}", f"{one.peak_bytes / MEBIBYTE:.0f}"),
                    f"{one.load:.1f}",
                ]
            )
    note = "CPU times and requests are for one object."
    return f"### {title}\n\n{note}\n\n" + table(head, rows, left=3)


def _empties(result: Result) -> str:
    head = (
        *("who", "API server", "files", "backups", "median ms", "longest ms"),
        *("CPU ms", "requests"),
    )
    rows = []
    for where, one in result.empties.items():
        count = len(one.seconds)
        times = [(quantile(one.seconds, share) or 0.0) * 1000 for share in (0.5, 1.0)]
        shown = [f"{value:,.0f}" for value in times]
        costs = [f"{one.cpu_seconds / count * 1000:.1f}", f"{one.requests / count:.1f}"]
        rows.append([where.who, where.server, where.store, str(count), *shown, *costs])
    return "### Empty backups, one after the other\n\n" + table(head, rows, left=3)


def _queues(what: str, queues: dict[Where, Queue]) -> str:
    head = (
        *("who", "API server", "files", "queued", "done", "seconds", "done/s"),
        *("hand-over p50 ms", "p99 ms", "longest ms", "vacant p50 ms", "p99 ms"),
        *("writes", "CPU ms", "peak MiB", "stolen %"),
    )
    rows = []
    for where, one in queues.items():
        overs = _milliseconds(one.hand_over_seconds, 0.5, 0.99, 1.0)
        overs += _milliseconds(one.vacant_seconds, 0.5, 0.99)
        done = max(one.done, 1)
        rows.append(
            [
                *(where.who, where.server, where.store, f"{one.count:,}", f"{one.done:,}"),
                *(f"{one.seconds:.1f}", f"{one.done / one.seconds:.1f}", *overs),
                *(f"{one.writes / done:.1f}", f"{one.cpu_seconds / done * 1000:.1f}"),
                *(f"{one.peak_bytes / MEBIBYTE:.0f}", f"{one.stolen * 100:.1f}"),
            ]
        )
    note = (
        "A hand-over is from the end of one to the start of the next; a place is vacant from when "
        "one is finalizing.\nWrites and CPU times are for one backup that was done. Stolen is what "
        "the machine's host gave to others."
    )
    return f"### Empty backups of {what}, all at once\n\n{note}\n\n" + table(head, rows, left=3)


def _milliseconds(seconds: list[float], *shares: float) -> list[str]:
    return [f"{(quantile(seconds, share) or 0.0) * 1000:,.1f}" for share in shares]
