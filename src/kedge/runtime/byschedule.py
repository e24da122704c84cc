"""Numbers by schedule: each that there is has them from zero on, those of others are forgotten.

`""` stands for what no schedule has made.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from kedge.api.velero.labels import valid_name
from kedge.runtime.cache import Cache

T = TypeVar("T")


class BySchedule(Generic[T]):
    """Keeps the numbers of each schedule."""

    def __init__(self, new: Callable[[], T]) -> None:
        """Begin each with what `new` gives."""
        self._new = new
        self._numbers: dict[str, T] = {}
        self._schedules: Cache[Any] | None = None

    def look_at(self, schedules: Cache[Any]) -> None:
        """Tell numbers of these schedules, and of no others."""
        self._schedules = schedules

    def of(self, schedule: str) -> T:
        """Give the numbers of a schedule, by its name or by the label that stands for it."""
        label = valid_name(schedule)
        if label not in self._numbers:
            self._numbers[label] = self._new()
        return self._numbers[label]

    def all(self) -> dict[str, T]:
        """Give the numbers of all schedules, by name."""
        if self._schedules is None:
            return {"": self.of(""), **self._numbers}
        names = {valid_name(entry.key.name): entry.key.name for entry in self._schedules.entries()}
        for gone in self._numbers.keys() - names.keys() - {""}:
            del self._numbers[gone]
        shown = {"": self.of("")}
        for label, name in sorted(names.items()):
            found = self._numbers.get(label)
            shown[name] = self._new() if found is None else found
        return shown
