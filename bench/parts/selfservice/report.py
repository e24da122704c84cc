"""Turn a result of self-service into Markdown that also reads well on a terminal."""

from parts.goal import goals_table
from parts.machine import scene
from parts.selfservice.result import Result, megabytes
from parts.table import table


def render(result: Result) -> str:
    """Write the whole report."""
    parts = [_goals(result), _making(result), _bare(result), _moving(result)]
    return "\n\n".join([scene(result), *parts]) + "\n"


def _goals(result: Result) -> str:
    return "### Goals\n\n" + goals_table(result.goals())


def _making(result: Result) -> str:
    head = ("server", "made", "s", "per s", "writes", "reads", "409", "CPU s", "API CPU s")
    rows = []
    for name, makings in result.making.items():
        for one in makings:
            cost, count = one.cost, one.count
            rows.append(
                [
                    name,
                    f"{count:,}",
                    f"{one.seconds:.1f}",
                    f"{count / one.seconds:.0f}",
                    f"{one.writes_an_object:.2f}",
                    f"{cost.reads / count:.2f}",
                    str(cost.conflicts),
                    f"{cost.cpu_seconds:.2f}",
                    f"{cost.server_cpu_seconds:.1f}",
                    megabytes(cost.bytes),
                    megabytes(cost.peak_bytes),
                    f"{cost.load:.1f}",
                ]
            )
    return "### From the request to Created\n\n" + table((*head, "MB", "peak MB", "load"), rows)


def _bare(result: Result) -> str:
    head = ("server", "made", "s", "per s", "API CPU s", "kedge per s", "kedge to bare")
    rows = []
    for name, bares in result.bare.items():
        made = [one for one in result.making[name] if one.count == result.effort.bare]
        for one, ours in zip(bares, made, strict=True):
            bare, rate = one.count / one.seconds, ours.count / ours.seconds
            told = [f"{one.seconds:.1f}", f"{bare:.0f}", f"{one.server_cpu_seconds:.1f}"]
            rows.append([name, f"{one.count:,}", *told, f"{rate:.0f}", f"{rate / bare:.2f}x"])
    return "### The same writes from a bare client\n\n" + table(head, rows)


def _moving(result: Result) -> str:
    head = ("server", "waiting", "first ten s", "all s", "writes", "409", "CPU s", "load")
    rows = [
        [
            name,
            f"{one.waiting:,}",
            f"{one.first_seconds:.2f}",
            f"{one.all_seconds:.2f}",
            str(one.cost.writes),
            str(one.cost.conflicts),
            f"{one.cost.cpu_seconds:.3f}",
            f"{one.cost.load:.1f}",
        ]
        for name, movings in result.moving.items()
        for one in movings
    ]
    return "### One ends, the others move up\n\n" + table(head, rows)
