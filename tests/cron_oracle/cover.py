"""The fewest disjoint five-field expressions that say a set of warm-ups: an exact search.

Values that behave alike (hours, months, days ...) are put into one class first. A box is a product
of minute, hour and month classes and a day rule (some days, or some weekdays, or both).
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from tests.cron_oracle.plans import Demand

Atom = tuple[int, int, int, int, int]  # minute, hour, month, day, weekday: one of each class
MOST_BOXES = 30_000
MOST_STEPS = 60_000


class TooLarge(Exception):
    """The search would take too long to be worth it."""


@dataclass(frozen=True)
class Grid:
    """The representatives of all classes, and what is demanded of their combinations."""

    axes: tuple[Sequence[int], ...]
    must: frozenset[Atom]
    never: frozenset[Atom]


def classes(values: Sequence[int], signature: dict[int, Hashable]) -> list[int]:
    """Keep the first value of each class of values that have the same signature."""
    kept: dict[Hashable, int] = {}
    for value in values:
        kept.setdefault(signature[value], value)
    return list(kept.values())


def compress(wanted: Demand) -> Grid:
    """Find the classes of a demand on the plain calendar."""
    months, days, weekdays = range(1, 13), range(1, 32), range(7)

    def both(month: int, day: int, weekday: int) -> tuple[int, int]:
        cell = (month, day, weekday)
        return wanted.fire.get(cell, 0), wanted.rest.get(cell, 0)

    months_ = classes(
        months, {m: tuple(both(m, d, w) for d in days for w in weekdays) for m in months}
    )
    days_ = classes(days, {d: tuple(both(m, d, w) for m in months for w in weekdays) for d in days})
    weekdays_ = classes(
        weekdays, {w: tuple(both(m, d, w) for m in months for d in days) for w in weekdays}
    )
    cells = list(product(months_, days_, weekdays_))
    fire = {cell: wanted.fire.get(cell, 0).to_bytes(1440, "little") for cell in cells}
    rest = {cell: wanted.rest.get(cell, 0).to_bytes(1440, "little") for cell in cells}
    minutes, hours = range(60), range(24)
    patterns = [marks for group in (fire, rest) for marks in group.values()]
    minutes_ = classes(minutes, {m: tuple(p[m::60] for p in patterns) for m in minutes})
    hours_ = classes(hours, {h: tuple(p[60 * h : 60 * h + 60] for p in patterns) for h in hours})
    must, never = set(), set()
    for minute, hour, cell in product(minutes_, hours_, cells):
        if fire[cell][60 * hour + minute]:
            must.add((minute, hour, *cell))
        if rest[cell][60 * hour + minute]:
            never.add((minute, hour, *cell))
    axes = (minutes_, hours_, months_, days_, weekdays_)
    return Grid(axes, frozenset(must), frozenset(never))


def subsets(values: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Give all subsets, the empty one too."""
    for size in range(len(values) + 1):
        yield from combinations(values, size)


def boxes(grid: Grid) -> list[int]:
    """List all boxes that never fire where they must not, as bit sets of the atoms that must."""
    minutes, hours, months, days, weekdays = grid.axes
    bit = {atom: 1 << n for n, atom in enumerate(sorted(grid.must))}
    slots = list(product(minutes, hours, months))
    found: set[int] = set()
    for rows, columns in product(subsets(days), subsets(weekdays)):
        rule = [(d, w) for d in days for w in weekdays if d in rows or w in columns]
        says: dict[tuple[int, ...], int] = {}
        for slot in slots:
            atoms = [(*slot, d, w) for d, w in rule]
            if not any(atom in grid.never for atom in atoms):
                says[slot] = sum(bit.get(atom, 0) for atom in atoms)
        if any(says.values()):
            found.update(_products(says, grid.axes))
        if len(found) > MOST_BOXES:
            raise TooLarge
    found.discard(0)
    return sorted(found, key=int.bit_count, reverse=True)


def _products(says: dict[tuple[int, ...], int], axes: Sequence[Sequence[int]]) -> Iterator[int]:
    """Give what each product of minutes, hours and months says, if it lies in the keys."""
    months_with: dict[tuple[int, int], dict[int, int]] = {}
    for (minute, hour, month), mask in says.items():
        months_with.setdefault((minute, hour), {})[month] = mask
    used = [m for m in axes[0] if any(key[0] == m for key in months_with)]
    for group in subsets(used):
        if not group:
            continue
        hours = [h for h in axes[1] if all((m, h) in months_with for m in group)]
        for some_hours in subsets(hours):
            pairs = [months_with[m, h] for m in group for h in some_hours]
            if not pairs:
                continue
            months = [mo for mo in axes[2] if all(mo in pair for pair in pairs)]
            for some_months in subsets(months):
                yield sum(pair[month] for pair in pairs for month in some_months)


@dataclass
class Search:
    """Look for a partition of all atoms into a given number of boxes."""

    boxes: list[int]
    everything: int
    steps: int = 0

    def __post_init__(self) -> None:
        atoms = [1 << n for n in range(self.everything.bit_length())]
        self.with_atom = {atom: [box for box in self.boxes if box & atom] for atom in atoms}
        self.together = {atom: _union(group) for atom, group in self.with_atom.items()}

    def strangers(self, left: int) -> int:
        """Count atoms of which no two fit in one box: at least so many boxes are needed."""
        count = 0
        while left:
            atom = left & -left
            left &= ~self.together[atom]
            count += 1
        return count

    def possible(self, left: int, number: int) -> bool:
        """Tell whether `number` disjoint boxes can make up what is left."""
        if not left:
            return True
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLarge
        if self.strangers(left) > number:
            return False
        atom = left & -left
        fitting = [box for box in self.with_atom[atom] if box & left == box]
        return any(self.possible(left & ~box, number - 1) for box in fitting)


def _union(group: list[int]) -> int:
    total = 0
    for box in group:
        total |= box
    return total


def fewest(wanted: Demand, most: int) -> int:
    """Give the least number of disjoint expressions, when it is at most `most`; else most + 1."""
    grid = compress(wanted)
    if 2 ** (len(grid.axes[3]) + len(grid.axes[4])) * len(grid.must) > 400_000:
        raise TooLarge
    search = Search(boxes(grid), (1 << len(grid.must)) - 1)
    for number in range(1, most + 1):
        if search.possible(search.everything, number):
            return number
    return most + 1
