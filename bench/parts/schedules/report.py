"""Turn a result of the schedules into Markdown that also reads well on a terminal."""

from parts.goal import goals_table
from parts.machine import scene
from parts.quantile import quantile
from parts.schedules.plan import BATCH, CROWD, FEW, LIMITED, RESTED
from parts.schedules.result import MEGABYTE, Due, Result, delays
from parts.table import table

CASES = {
    FEW: "{few} due",
    RESTED: "{few} due, after a rest",
    BATCH: "{batch:,} due",
    LIMITED: "{batch:,} due, 100 requests/s",
    CROWD: "{crowd:,} due",
}


def render(result: Result) -> str:
    """Write the whole report."""
    parts = [scene(result), _goals(result), _delays(result), _costs(result), _idle(result)]
    return "\n\n".join(parts) + "\n"


def _goals(result: Result) -> str:
    return "### Goals\n\n" + goals_table(result.goals())


def _delays(result: Result) -> str:
    head = ("case", "server", "Backups", "p50 ms", "p99 ms", "last ms", "runs/s", "load")
    rows = []
    for case, name, rounds in _rounds(result):
        values = delays(rounds)
        points = [quantile(values, share) or 0.0 for share in (0.5, 0.99, 1.0)]
        rate = len(values) / len(rounds) / points[-1] if len(rounds) == 1 else 0.0
        load = max(one.load for one in rounds)
        shown = [f"{point * 1000:,.0f}" for point in points]
        rows.append(
            [case, name, f"{len(values):,}", *shown, f"{rate:,.0f}" if rate else "-", f"{load:.1f}"]
        )
    for name, plain in result.plain.items():
        title = f"{plain.count:,}, only the writes"
        rate_text = f"{plain.count / plain.seconds:,.0f}"
        last = f"{plain.seconds * 1000:,.0f}"
        rows.append([title, name, f"{plain.count:,}", "-", "-", last, rate_text, "-"])
    return "### From the instant to the Backup\n\n" + table(head, rows, left=2)


def _costs(result: Result) -> str:
    head = ("case", "server", "POST", "PATCH", "others", "CPU ms", "API CPU ms", "peak MB")
    rows = []
    for case, name, rounds in _rounds(result):
        count = sum(one.count for one in rounds)
        asked = _asked(rounds)
        posts, patches = asked.pop("POST 201", 0), asked.pop("PATCH 200", 0)
        others = ", ".join(f"{n} {what}" for what, n in asked.items()) or "0"
        cpu = sum(one.cpu_seconds for one in rounds) / count * 1000
        served = f"{sum(one.server_cpu_seconds for one in rounds) / count * 1000:.2f}"
        peak = max(one.peak_bytes for one in rounds) / MEGABYTE
        numbers = [f"{posts / count:g}", f"{patches / count:g}", others]
        rows.append([case, name, *numbers, f"{cpu:.2f}", served, f"{peak:.0f}"])
    for name, plain in result.plain.items():
        served = f"{plain.server_cpu_seconds / plain.count * 1000:.2f}"
        title = f"{plain.count:,}, only the writes"
        rows.append([title, name, "1", "1", "0", "-", served, "-"])
    return "### What one run takes\n\n" + table(head, rows, left=2)


def _asked(rounds: list[Due]) -> dict[str, int]:
    asked: dict[str, int] = {}
    for one in rounds:
        for what, count in one.requests.items():
            asked[what] = asked.get(what, 0) + count
    return asked


def _idle(result: Result) -> str:
    head = ("Schedules", "server", "seconds", "requests", "CPU ms", "of a core", "MB", "peak MB")
    rows = []
    for name, idle in result.idle.items():
        memory = [f"{size / MEGABYTE:.0f}" for size in (idle.bytes, idle.peak_bytes)]
        cpu = idle.cpu_seconds
        asked = str(sum(idle.requests.values()))
        share = f"{100 * cpu / idle.seconds:.3f} %"
        times = [f"{idle.seconds:.0f}", asked, f"{cpu * 1000:.1f}", share]
        rows.append([f"{idle.count:,}", name, *times, *memory])
    return "### Idle\n\n" + table(head, rows, left=2)


def _rounds(result: Result) -> list[tuple[str, str, list[Due]]]:
    sizes = vars(result.effort)
    return [
        (text.format(**sizes), name, rounds)
        for case, text in CASES.items()
        for name in result.due
        if (rounds := result.rounds(name, case))
    ]
