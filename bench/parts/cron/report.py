"""Turn a result into Markdown that also reads well on a terminal."""

from collections.abc import Sequence

from parts.cron.cases import ZONES
from parts.cron.result import GOALS, OTHERS, OURS, Measured, Result
from parts.cron.startup import GOAL_MS, Startup
from parts.table import table

TITLES = {
    "next": "next, chained from 2026-01-01",
    "far": "next, chained from 2038-01-01: years that zone files only have a rule for",
    "random": "next at scattered instants of 2024-2032 (cronsim and croniter: a new object a call)",
    "prev": "prev, chained from 2026-01-01",
    "between": "between, the year 2028",
    "parse": "parse",
    "first": "parse and the first next: a schedule that is used once",
}


def render(result: Result) -> str:
    """Write the whole report."""
    parts = [_machine(result), _goals(result)]
    parts += [_section(result, op) for op in TITLES]
    parts += [_priming(result), _startup(result.startup), _differences(result)]
    return "\n\n".join(parts) + "\n"


def _machine(result: Result) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in result.machine.items())
    effort = result.effort
    return (
        f"{facts}.\nGo: {result.go_note}.\n"
        f"Microseconds per answer; medians of {effort.repeats} interleaved samples of at least "
        f"{effort.sample_seconds * 1000:g} ms; chains of up to {effort.chain} answers.\n"
        f"Ratios are medians over the rounds. Unrest of the machine (third quartile over the "
        f"fastest sample): {result.unrest():.0%}."
    )


def _goals(result: Result) -> str:
    rows = []
    for (engine, zone), goal in GOALS.items():
        ratio = result.mean_ratio(engine, "next", zone)
        verdict = "not measured" if ratio is None else "yes" if ratio >= goal else "no"
        rows.append((f"{engine}, {zone}", f"{goal:g}x", _times(ratio), verdict))
    lead = "### Goals: chained next, geometric mean of the ratios\n\n"
    return lead + table(("against", "goal", "kedge is faster by", "reached"), rows)


def _section(result: Result, op: str) -> str:
    tables = [f"### {TITLES[op]}"]
    for zone in ZONES:
        engines = [OURS, *(e for e in OTHERS if result.mean_time(e, op, zone) is not None)]
        head = [zone, *(f"{e} us" for e in engines), *(f"vs {e}" for e in engines[1:])]
        rows = [_row(result, m, engines) for m in result.rows(op, zone)]
        means = [_micro(result.mean_time(e, op, zone)) for e in engines]
        ratios = [_times(result.mean_ratio(e, op, zone)) for e in engines[1:]]
        tables.append(table(head, [*rows, ["geometric mean", *means, *ratios]]))
    return "\n\n".join(tables)


def _row(result: Result, measured: Measured, engines: Sequence[str]) -> list[str]:
    case, op = measured.case, measured.op
    ratios = [
        _times(measured.ratio(e)) + ("" if result.agrees(e, op, case) else " (differs)")
        for e in engines[1:]
    ]
    return [
        f"`{case.expression}` {case.label}",
        *(_micro(measured.median(e)) for e in engines),
        *ratios,
    ]


def _priming(result: Result) -> str:
    head = ("10 minutes ahead of", "plan", "kedge us")
    rows = [
        (f"`{p.case.expression}` {p.case.zone}", p.outcome, _micro(p.seconds))
        for p in result.primed
    ]
    return "### prime\n\n" + table(head, rows, left=2)


def _startup(startup: Startup) -> str:
    reached = "yes" if startup.over_bare_ms < GOAL_MS else "no"
    return (
        "### import, and other first times\n\n"
        f"Bare Python {startup.bare_ms:.1f} ms, "
        f"with `import kedge.cron` {startup.import_ms:.1f} ms: "
        f"{startup.over_bare_ms:.1f} ms over bare. Goal under {GOAL_MS:g} ms: {reached}.\n"
        f"The first question in four years of a zone, once per process: {startup.zone_ms:.2f} ms."
    )


def _differences(result: Result) -> str:
    lead = "### Where engines differ from kedge (timed, but not in the means of the ratios)\n\n"
    return lead + ("\n".join(f"- {d}" for d in result.differences) or "Nowhere.")


def _micro(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    micro = seconds * 1e6
    return f"{micro:.2f}" if micro < 10 else f"{micro:.1f}" if micro < 1000 else f"{micro:.0f}"


def _times(ratio: float | None) -> str:
    if ratio is None:
        return "-"
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.1f}x"
