"""Turn a result of the engine into Markdown that also reads well on a terminal."""

from engine_result import MEBIBYTE, Bulk, Goal, Result, Where, quantile
from report import table


def render(result: Result) -> str:
    """Write the whole report."""
    parts = [_machine(result), _goals(result)]
    parts += [_bulk("Backups", result.backups), _bulk("Restores", result.restores)]
    parts += [_empties(result), _queues(result)]
    return "\n\n".join(parts) + "\n"


def _machine(result: Result) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in result.machine.items())
    servers = "; ".join(f"{name}: {release}" for name, release in result.releases.items())
    return f"{facts}.\n{servers}."


def _goals(result: Result) -> str:
    rows = [(g.title, _limit(g), _figure(g), g.verdict) for g in result.goals()]
    return "### Goals\n\n" + table(("what", "goal", "measured", "reached"), rows)


def _limit(goal: Goal) -> str:
    word = "at least" if goal.is_least else "at most"
    return f"{word} {goal.limit:,g} {goal.unit}".strip()


def _figure(goal: Goal) -> str:
    if goal.figure is None:
        return "-"
    text = f"{goal.figure:,.0f}" if goal.figure >= 100 else f"{goal.figure:.3g}"
    return f"{text} {goal.unit}".strip()


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
        times = [quantile(one.seconds, share) * 1000 for share in (0.5, 1.0)]
        shown = [f"{value:,.0f}" for value in times]
        costs = [f"{one.cpu_seconds / count * 1000:.1f}", f"{one.requests / count:.1f}"]
        rows.append([where.who, where.server, where.store, str(count), *shown, *costs])
    return "### Empty backups, one after the other\n\n" + table(head, rows, left=3)


def _queues(result: Result) -> str:
    head = (
        *("who", "API server", "files", "queued", "done", "seconds", "done/s"),
        *("hand-over p50 ms", "p99 ms", "longest ms", "writes", "CPU ms", "peak MiB"),
    )
    rows = []
    for where, one in result.queues.items():
        overs = [f"{quantile(one.hand_over_seconds, s) * 1000:,.1f}" for s in (0.5, 0.99, 1.0)]
        done = max(one.done, 1)
        rows.append(
            [
                *(where.who, where.server, where.store, f"{one.count:,}", f"{one.done:,}"),
                *(f"{one.seconds:.1f}", f"{one.done / one.seconds:.1f}", *overs),
                *(f"{one.writes / done:.1f}", f"{one.cpu_seconds / done * 1000:.1f}"),
                f"{one.peak_bytes / MEBIBYTE:.0f}",
            ]
        )
    note = "Writes and CPU times are for one backup that was done."
    return f"### Empty backups, all at once\n\n{note}\n\n" + table(head, rows, left=3)
