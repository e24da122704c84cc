"""What a run found: medians over the rounds, ratios, and the goals they are held against."""

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any

from parts.goal import TIMES, Goal
from parts.runtime.meter import Measured
from parts.runtime.plan import (
    CONFIG_MAPS,
    EVENTS,
    IDLE,
    KOPF,
    KOPF_KEPT,
    KR8S,
    LIGHTKUBE,
    OURS,
    PACKED,
    RECONCILES,
    SYNC,
    TRIMMED,
    TYPED,
    Effort,
)

PACKAGES = ("kedge", "kopf", "kr8s", "kubernetes_asyncio", "lightkube", "aiohttp", "msgspec")
Figure = Callable[[Measured], float]


def releases() -> dict[str, str]:
    """Give the releases of what was measured."""
    return {name: metadata.version(name) for name in PACKAGES}


@dataclass
class Result:
    """Everything one run found: by section and contestant, what each round measured."""

    machine: dict[str, str | int]
    releases: dict[str, str]
    effort: Effort
    sections: dict[str, dict[str, list[Measured]]] = field(default_factory=dict)

    def add(self, section: str, who: str, measured: Measured) -> None:
        """Keep a measurement."""
        self.sections.setdefault(section, {}).setdefault(who, []).append(measured)

    def median(self, section: str, who: str, figure: Figure) -> float | None:
        """Give the median over the rounds, if there were any."""
        found = self.sections.get(section, {}).get(who)
        return statistics.median(map(figure, found)) if found else None

    def ratio(self, section: str, figure: Figure, other: str, ours: str = OURS) -> float | None:
        """Give our figure as a multiple of another's: the median over the rounds."""
        found = self.sections.get(section, {})
        rounds = list(zip(found.get(ours, ()), found.get(other, ()), strict=False))
        return statistics.median(figure(a) / figure(b) for a, b in rounds) if rounds else None

    def goals(self) -> list[Goal]:
        """Hold the run against the goals."""
        return [
            Goal("events/s", 40_000, self.median(EVENTS, OURS, rate), is_least=True),
            self._faster("events/s", EVENTS, TYPED, 25),
            self._faster("events/s", EVENTS, KR8S, 15),
            self._faster("events/s", EVENTS, LIGHTKUBE, 1),
            self._faster("events/s, many in a chunk", PACKED, LIGHTKUBE, 1),
            self._faster("events/s, ConfigMaps", CONFIG_MAPS, TYPED, 25),
            self._faster("events/s, ConfigMaps", CONFIG_MAPS, KR8S, 15),
            self._faster("events/s, ConfigMaps", CONFIG_MAPS, LIGHTKUBE, 1),
            self._smaller("seconds to sync", seconds, KOPF_KEPT, OURS),
            self._smaller("memory over start", grown, KOPF_KEPT, OURS),
            self._smaller("peak memory", peak, KOPF_KEPT, OURS),
            self._smaller("seconds to sync", seconds, KOPF, TRIMMED),
            self._smaller("memory over start", grown, KOPF, TRIMMED),
            self._smaller("peak memory", peak, KOPF, TRIMMED),
            self._faster("reconciles/s", RECONCILES, KOPF, 10),
            Goal("idle, CPU", 0.1, self.median(IDLE, OURS, busy_percent), "%"),
        ]

    def _faster(self, what: str, section: str, other: str, limit: float) -> Goal:
        title = f"{what}: {OURS} to {other}"
        # By CPU time, of which each has one core at most: a busy machine spoils it less.
        return Goal(title, limit, self.ratio(section, cpu_rate, other), TIMES, is_least=True)

    def _smaller(self, what: str, figure: Figure, other: str, ours: str) -> Goal:
        title = f"{what}: {ours} to {other}"
        return Goal(title, 0.25, self.ratio(SYNC, figure, other, ours), TIMES)


def rate(measured: Measured) -> float:
    """Give the things per second."""
    return measured.count / measured.seconds


def cpu_rate(measured: Measured) -> float:
    """Give the things per second of CPU time."""
    return measured.count / measured.cpu_seconds


def cpu_each(measured: Measured) -> float:
    """Give the CPU seconds for one thing."""
    return measured.cpu_seconds / measured.count


def seconds(measured: Measured) -> float:
    """Give the seconds."""
    return measured.seconds


def cpu_seconds(measured: Measured) -> float:
    """Give the CPU seconds."""
    return measured.cpu_seconds


def peak(measured: Measured) -> float:
    """Give the most bytes that were resident."""
    return measured.peak_bytes


def grown(measured: Measured) -> float:
    """Give the most bytes that were resident over those at the start."""
    return measured.peak_bytes - measured.start_bytes


def busy_percent(measured: Measured) -> float:
    """Give the share of a core."""
    return 100 * measured.cpu_seconds / measured.seconds


def as_json(result: Result) -> dict[str, Any]:
    """Give the whole run as plain data, every sample included."""
    return {
        "machine": result.machine,
        "releases": result.releases,
        "effort": asdict(result.effort),
        "goals": [{**asdict(goal), "reached": goal.verdict} for goal in result.goals()],
        "sections": {
            section: {who: [asdict(one) for one in taken] for who, taken in found.items()}
            for section, found in result.sections.items()
        },
    }
