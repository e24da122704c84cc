"""All boxes that fit into minutes and days, to choose the fewest from.

Minutes, hours, months, days of month and weekdays that behave alike go together; what is left of
each dimension is a few classes. A day that a month does not have is free: a box may hold it or not.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, product

from kedge.cron.days import MONTH_FULL, Month, Pattern
from kedge.cron.fields import DAY, HOUR, MINUTE, MONTH, WEEKDAY, members
from kedge.cron.partition import smaller_partition

MOST_RULES = 4_096
"""Rules for days that are tried; where there are more, it takes longer than a plan is worth."""
MOST_BOXES = 20_000

Box = tuple[int, int, int, Month]
"""Minutes, hours, months, and days of month or of week; both of them mean either."""


def fewer_boxes(found: dict[Pattern, int], than: int) -> list[Box] | None:
    """Return the fewest disjoint boxes, if they are fewer than a number that is known."""
    boxes = _Grid(found).boxes()
    chosen = smaller_partition(boxes, than) if boxes else None
    return None if chosen is None else [boxes[part] for part in chosen]


def classes(values: int, signature: Callable[[int], object]) -> list[int]:
    """Group the values of a set by a signature, each group as a set."""
    groups: dict[object, int] = {}
    for value in members(values):
        key = signature(value)
        groups[key] = groups.get(key, 0) | 1 << value
    return list(groups.values())


def time_classes(times: list[int]) -> tuple[list[int], list[int]]:
    """Group minutes and hours that go together in several sets of minutes of the day."""
    minutes = classes(
        MINUTE.full,
        lambda n: tuple(sum(t >> 60 * h + n & 1 and 1 << h for h in range(24)) for t in times),
    )
    hours = classes(HOUR.full, lambda n: tuple(t >> 60 * n & MINUTE.full for t in times))
    return minutes, hours


class _Grid:
    """The classes of each dimension, and what is needed of their cells."""

    def __init__(self, found: dict[Pattern, int]) -> None:
        self.found = found
        self.minutes, self.hours = time_classes(list(found.values()))
        months = [(m, pattern[m - 1]) for pattern in found for m in members(MONTH.full)]
        self.months = classes(
            MONTH.full, lambda n: (MONTH_FULL[n], tuple(pattern[n - 1] for pattern in found))
        )
        self.days = classes(
            DAY.full,
            lambda n: tuple((MONTH_FULL[m] >> n & 1, rows >> n & 1) for m, (rows, _) in months),
        )
        self.weekdays = classes(
            WEEKDAY.full, lambda n: tuple(columns >> n & 1 for _, (_, columns) in months)
        )

    def boxes(self) -> dict[int, Box]:
        """Return the boxes by the set of cells they hold; none when there are too many."""
        if 1 << len(self.days) + len(self.weekdays) > MOST_RULES:
            return {}
        slots = list(self._slots())
        boxes: dict[int, Box] = {}
        for rows, columns in product(_subsets(self.days), _subsets(self.weekdays)):
            rule = self._cells(rows, columns)
            says = [
                (time, month, (rule & needed) << place)
                for time, month, needed, denied, place in slots
                if not rule & denied
            ]
            for held, minutes, hours, months in _products(says):
                boxes.setdefault(held, (minutes, hours, months, (rows, columns)))
                if len(boxes) > MOST_BOXES:
                    return {}
        boxes.pop(0, None)
        return boxes

    def _slots(self) -> Iterator[tuple[tuple[int, int], int, int, int, int]]:
        """Yield times and months with warm-ups: cells needed, cells denied, and their place."""
        place = 0
        for minutes, hours in product(self.minutes, self.hours):
            time = 60 * members(hours)[0] + members(minutes)[0]
            pattern = next((p for p, times in self.found.items() if times >> time & 1), None)
            for months in self.months if pattern else ():
                number = members(months)[0]
                rows, columns = pattern[number - 1] if pattern else (0, 0)
                needed = self._cells(rows, columns, MONTH_FULL[number])
                denied = self._cells(DAY.full, 0, MONTH_FULL[number]) & ~needed
                if needed:
                    yield (minutes, hours), months, needed, denied, place
                    place += len(self.days) * len(self.weekdays)

    def _cells(self, rows: int, columns: int, existing: int = DAY.full) -> int:
        """Return the cells (class of days, class of weekdays) that a rule holds."""
        cells = 0
        for index, (days, weekdays) in enumerate(product(self.days, self.weekdays)):
            if days & existing and (days & rows or weekdays & columns):
                cells |= 1 << index
        return cells


def _products(says: list[tuple[tuple[int, int], int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the products of minutes, hours and months that may be said, and what they say."""
    by_time: dict[tuple[int, int], dict[int, int]] = {}
    for time, month, cells in says:
        by_time.setdefault(time, {})[month] = cells
    for minutes in _groups({minutes for minutes, _ in by_time}):
        hours_of_all = set.intersection(*({h for m, h in by_time if m == one} for one in minutes))
        for hours in _groups(hours_of_all):
            said = [by_time[time] for time in product(minutes, hours)]
            for months in _groups(set.intersection(*map(set, said))):
                held = sum(one[month] for one in said for month in months)
                yield held, sum(minutes), sum(hours), sum(months)


def _groups(values: set[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to take some of the values, few first."""
    ordered = sorted(values)
    for size in range(1, len(ordered) + 1):
        yield from combinations(ordered, size)


def _subsets(values: list[int]) -> list[int]:
    """List the unions of some of the sets, the empty one too."""
    return [0, *(sum(group) for group in _groups(set(values)))]
