"""Turn a result of the API servers into Markdown that also reads well on a terminal."""

from parts.api.result import OURS, Result, Run
from parts.goal import goals_table
from parts.table import table


def render(result: Result) -> str:
    """Write the whole report."""
    parts = [_machine(result), _goals(result), _throughput(result), _once(result)]
    return "\n\n".join([*parts, *_growth(result)]) + "\n"


def _machine(result: Result) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in result.machine.items())
    effort = result.effort
    return (
        f"{facts}.\n"
        f"Servers on loopback with TLS and a token; one client process, on the same machine, for "
        f"both; medians over the rounds ({effort.rounds}), which take turns. {effort.parallel} "
        f"requests of a kind over many connections, {effort.single} over one; ConfigMaps of about "
        "600 bytes."
    )


def _goals(result: Result) -> str:
    lead = "### Goals: our share of what kube-apiserver with etcd takes\n\n"
    return lead + goals_table(result.goals())


def _throughput(result: Result) -> str:
    names = list(result.runs)
    head = ["answers", *(f"{n} /s" for n in names), "share", *(f"{n} CPU ms" for n in names)]
    rows = [
        [
            row,
            *(_number(run.rate(row)) for run in result.runs.values()),
            _share(result.ratio(row, lambda s: s.rate)),
            *(_number(run.cost(row) * 1000) for run in result.runs.values()),
            _share(result.ratio(row, lambda s: s.cost)),
        ]
        for row in result.rows
    ]
    lead = "### Answers per second, and the server's CPU time for one answer\n\n"
    alone = ", ".join(
        f"{name} {run.event_cost(result.effort.watchers) * 1e6:.0f} us"
        for name, run in result.runs.items()
    )
    tail = f"\n\nAn event without the create behind it: {alone} of CPU time."
    return lead + table([*head, "share"], rows) + tail


def _once(result: Result) -> str:
    rows = [_once_row(run) for run in result.runs.values()]
    head = ("server", "ready after s", "peak memory MiB")
    return "### Start and memory\n\n" + table(head, rows)


def _once_row(run: Run) -> tuple[str, ...]:
    return run.release, f"{run.ready_seconds:.2f}", f"{run.peak_bytes / 2**20:.0f}"


def _growth(result: Result) -> list[str]:
    levels = result.runs[OURS].growth if OURS in result.runs else {}
    if not levels:
        return []
    ops = list(next(iter(levels.values())))
    head = ["objects stored", *(f"{op} CPU ms" for op in ops)]
    rows = [
        [f"{level:,}", *(_number(found[op].cost * 1000) for op in ops)]
        for level, found in levels.items()
    ]
    rise = result.rise()
    if rise:
        shown = (f"{rise[op]:.2f}x" if op in rise else "-" for op in ops)
        rows.append(["dearest larger level over smallest", *shown])
    return [f"### {OURS}: cost of a write while the store grows\n\n" + table(head, rows)]


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
