"""The fewest expressions for minutes and days, no two of which ever fire together.

Each expression of a plan becomes a CronJob of its own, so a minute that two of them shared would
start twice: the set is cut into disjoint *boxes*, each a product of minutes, hours, months and
days.

First by joining: cut small, then join what differs in one dimension, in every order of the
dimensions. That finds the boxes a person would, and mostly the fewest. Then `grid` looks whether
there are fewer.
"""

from itertools import permutations, product

from kedge.cron.days import MONTH_FULL, Month, Pattern, rule
from kedge.cron.fields import DAY, MONTH, WEEKDAY, members
from kedge.cron.grid import Box, classes, fewer_boxes, time_classes
from kedge.cron.text import calendar_text


def fewest_boxes(found: dict[Pattern, int]) -> list[tuple[Box, str]]:
    """Cut minutes of the day, given per pattern of days, into boxes with their texts."""
    atoms = _atoms(found)
    cuts = {frozenset(_joined(atoms, order)) for order in permutations(range(4))}
    fewest = min(map(len, cuts))
    fewer = fewer_boxes(found, fewest) if fewest > 1 else None
    if fewer:
        return [(box, _text(box)) for box in fewer]
    texts = [{box: _text(box) for box in cut} for cut in cuts if len(cut) == fewest]
    best = min(texts, key=lambda cut: (sum(map(len, cut.values())), sorted(cut.values())))
    return list(best.items())


def _text(box: Box) -> str:
    """Write a box as an expression."""
    minutes, hours, months, (rows, columns) = box
    either = bool(rows and columns)
    days = rule(rows or DAY.full, months, columns or WEEKDAY.full, either=either)
    return calendar_text(minutes, hours, days)


def _joined(atoms: list[Box], order: tuple[int, ...]) -> list[Box]:
    """Join boxes that differ in one dimension only, dimension by dimension."""
    boxes = atoms
    while True:
        before = len(boxes)
        for dimension in order:
            boxes = _join_along(dimension, boxes)
        if len(boxes) == before:
            return boxes


def _join_along(dimension: int, boxes: list[Box]) -> list[Box]:
    groups: dict[tuple[object, ...], Box] = {}
    for box in boxes:
        key: tuple[object, ...] = (*box[:dimension], *box[dimension + 1 :])
        if dimension == 3:
            rows, columns = box[3]
            key += (bool(rows), bool(columns), rows and columns and box[3])
        known = groups.get(key)
        groups[key] = box if known is None else _union(known, box)
    return list(groups.values())


def _union(one: Box, other: Box) -> Box:
    days = one[3][0] | other[3][0], one[3][1] | other[3][1]
    return one[0] | other[0], one[1] | other[1], one[2] | other[2], days


def _atoms(found: dict[Pattern, int]) -> list[Box]:
    """Cut the set so small that values of a dimension that always go together stay together."""
    times = list(found.values())
    minutes, hours = time_classes(times)
    days = _day_parts(list(found))
    months = classes(
        MONTH.full, lambda n: tuple(m >> n & 1 for part in days.values() for m in part)
    )
    return [
        (minute, hour, month, day)
        for minute, hour, month, (day, places) in product(minutes, hours, months, days.items())
        for mask, place in zip(times, places, strict=True)
        if mask >> 60 * members(hour)[0] + members(minute)[0] & 1 and place & month
    ]


def _day_parts(patterns: list[Pattern]) -> dict[Month, tuple[int, ...]]:
    """Return the parts of days that the patterns have, each with its months per pattern.

    Days of month and days of week cannot be parted where a month has both: each day of month is
    also some weekday. All days of a month count as 31, so that long and short months are alike.
    """
    patterns = [
        tuple((DAY.full if r == MONTH_FULL[n] else r, c) for n, (r, c) in enumerate(pattern, 1))
        for pattern in patterns
    ]

    def months(rows: int, columns: int) -> tuple[int, ...]:
        return tuple(
            sum(
                1 << n
                for n, (r, c) in enumerate(p, 1)
                if not (r and c) and (r & rows or c & columns)
            )
            for p in patterns
        )

    found = {(rows, 0): months(rows, 0) for rows in classes(DAY.full, lambda n: months(1 << n, 0))}
    for columns in classes(WEEKDAY.full, lambda n: months(0, 1 << n)):
        found[0, columns] = months(0, columns)
    for both in {month for pattern in patterns for month in pattern if all(month)}:
        found[both] = tuple(
            sum(1 << n for n, month in enumerate(p, 1) if month == both) for p in patterns
        )
    return found
