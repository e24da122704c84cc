"""Turn a result of self-service into Markdown that also reads well on a terminal."""

from report import table
from schedules_report import _figure, _limit
from selfservice_result import Result, megabytes


def render(result: Result) -> str:
    """Write the whole report."""
    return "\n\n".join([_machine(result), _goals(result), _making(result), _moving(result)]) + "\n"


def _machine(result: Result) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in result.machine.items())
    servers = "; ".join(f"{name}: {release}" for name, release in result.releases.items())
    return f"{facts}.\n{servers}."


def _goals(result: Result) -> str:
    rows = [(goal.title, _limit(goal), _figure(goal), goal.verdict) for goal in result.goals()]
    return "### Goals\n\n" + table(("what", "at most", "measured", "reached"), rows)


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
                    f"{cost.writes / count:.2f}",
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
