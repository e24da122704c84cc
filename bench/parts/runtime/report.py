"""Turn a result of the runtime into Markdown that also reads well on a terminal."""

from parts.goal import goals_table
from parts.runtime.plan import CLUSTER, CONFIG_MAPS, EVENTS, IDLE, PACKED, RECONCILES, SYNC
from parts.runtime.result import (
    Figure,
    Result,
    busy_percent,
    cpu_each,
    cpu_rate,
    cpu_seconds,
    grown,
    peak,
    rate,
    seconds,
)
from parts.table import table

Columns = dict[str, tuple[Figure, str]]
"""By heading: what to show, and in which format."""


def _mebibytes(figure: Figure) -> Figure:
    return lambda measured: figure(measured) / 2**20


RATES: Columns = {
    "/s": (rate, ",.0f"),
    "/s of CPU time": (cpu_rate, ",.0f"),
    "CPU us each": (lambda measured: 1e6 * cpu_each(measured), ",.1f"),
}
MEMORY: Columns = {
    "seconds": (seconds, ".2f"),
    "CPU seconds": (cpu_seconds, ".2f"),
    "MiB over start": (_mebibytes(grown), ",.0f"),
    "peak MiB": (_mebibytes(peak), ",.0f"),
}
SHARE: Columns = {"CPU % of a core": (busy_percent, ".3f"), "peak MiB": (_mebibytes(peak), ",.0f")}


def render(result: Result) -> str:
    """Write the whole report."""
    effort = result.effort
    titles: dict[str, tuple[str, Columns]] = {
        EVENTS: ("Events from the socket: Pods, each event an HTTP chunk", RATES),
        PACKED: ("Events from the socket: Pods, 32 events in an HTTP chunk", RATES),
        CONFIG_MAPS: ("Events from the socket: ConfigMaps, each event an HTTP chunk", RATES),
        SYNC: (f"Sync of {effort.synced:,} Pods from the feed", MEMORY),
        CLUSTER: (f"Sync of {effort.clustered:,} ConfigMaps from the embedded server", MEMORY),
        RECONCILES: (f"Reconciles: {effort.reconciled:,} Pods change at once", RATES),
        IDLE: (f"Idle with {effort.idle_keys:,} keys, {effort.idle_seconds:g} s", SHARE),
    }
    parts = [_machine(result), _goals(result)]
    for section, (title, columns) in titles.items():
        if section in result.sections:
            parts.append(f"### {title}\n\n{_section(result, section, columns)}")
    return "\n\n".join(parts) + "\n"


def _machine(result: Result) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in result.machine.items())
    found = ", ".join(f"{name} {release}" for name, release in result.releases.items())
    rounds = f"{result.effort.rounds}, where it takes long {result.effort.long_rounds}"
    return f"{facts}.\n{found}.\nMedians over the rounds ({rounds}), in which all take turns."


def _goals(result: Result) -> str:
    return "### Goals\n\n" + goals_table(result.goals())


def _section(result: Result, section: str, columns: Columns) -> str:
    rows = [
        [
            who,
            *(
                _cell(result.median(section, who, figure), form)
                for figure, form in columns.values()
            ),
        ]
        for who in result.sections[section]
    ]
    return table(["", *columns], rows)


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
