"""Long sweeps in two cuts: a thin one for every day, and the whole, which is a slow test."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from kedge.testing import crash, faults

WRITES = faults.matches(write=True)
THIN_STEP = 3
"""The thin cut takes every third write: a crash is two lives of a controller."""


@dataclass(frozen=True)
class Cut:
    """The calls at which a controller is ended."""

    when: faults.Matcher
    sides: Sequence[faults.Side]
    least: int
    """Fewer crashes than this would be no test."""
    step: int = 1
    """Of so many calls one is taken."""

    @property
    def is_whole(self) -> bool:
        """Say whether all calls are taken, so that each kind of them is met."""
        return self.step == 1

    async def crashes(self, scenario: crash.Scenario) -> list[crash.Crash]:
        """End it at each of them; give all crashes."""
        found = await crash.crash_everywhere(
            scenario, when=self.when, sides=self.sides, step=self.step
        )
        assert len(found) >= self.least
        return found

    async def by_method(self, scenario: crash.Scenario, *methods: str) -> None:
        """End it at each write, method by method: writes do not always come in the same order."""
        total = 0
        for method in methods:
            when = faults.matches(method=method, write=True)
            found = await crash.crash_everywhere(
                scenario, when=when, sides=self.sides, step=self.step
            )
            assert found, f"there is no {method}"
            total += len(found)
        assert total >= self.least


def cuts(thin: int, whole: int, when: faults.Matcher = faults.every) -> list[ParameterSet]:
    """Give both cuts; `thin` writes at least there are, and `whole` crashes."""
    least = -(-thin // THIN_STEP)
    return [
        pytest.param(Cut(WRITES, [faults.Side.AFTER], least, THIN_STEP), id="after some writes"),
        pytest.param(
            Cut(when, list(faults.Side), whole), id="at each call", marks=pytest.mark.slow
        ),
    ]


def daily(every: Iterable[str], chosen: Collection[str]) -> list[ParameterSet]:
    """Mark all parameters as slow but the chosen ones."""
    known = list(every)
    assert set(chosen) <= set(known)
    return [pytest.param(one, marks=() if one in chosen else pytest.mark.slow) for one in known]


_ends: dict[str, Any] = {}


async def undisturbed(name: str, scenario: crash.Scenario) -> Any:
    """Give the end state without any trouble; for each name it is found out once."""
    if name not in _ends:
        _ends[name] = await crash.run(scenario)
    return _ends[name]
