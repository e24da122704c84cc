"""What a run has to reach, and the table that tells whether it did."""

from collections.abc import Iterable
from dataclasses import dataclass

from parts.table import table

LARGE = 100
"""From here on the digits before the point are enough."""
TIMES = "x"
"""The unit of a ratio, which stands close to its number."""


@dataclass(frozen=True)
class Goal:
    """One thing to reach; the figure is None if it was not measured."""

    title: str
    limit: float
    figure: float | None
    unit: str = ""
    is_least: bool = False
    """The limit is the least that is good; else the most."""

    @property
    def verdict(self) -> str:
        """Say yes, no or not measured."""
        if self.figure is None:
            return "not measured"
        reached = self.figure >= self.limit if self.is_least else self.figure <= self.limit
        return "yes" if reached else "no"


def goals_table(goals: Iterable[Goal]) -> str:
    """Lay out all goals: what, the limit, what was measured, whether it was reached."""
    rows = [(one.title, _limit(one), _figure(one), one.verdict) for one in goals]
    return table(("what", "goal", "measured", "reached"), rows)


def _limit(goal: Goal) -> str:
    return f"{'at least' if goal.is_least else 'at most'} {_number(goal.limit)}{_unit(goal)}"


def _figure(goal: Goal) -> str:
    return "-" if goal.figure is None else _number(goal.figure) + _unit(goal)


def _number(value: float) -> str:
    is_whole = isinstance(value, int) or value >= LARGE
    return f"{value:,.0f}" if is_whole else f"{value:.3g}"


def _unit(goal: Goal) -> str:
    return goal.unit if goal.unit in ("", TIMES) else f" {goal.unit}"
