"""The fewest expressions for minutes and days, no two of which ever fire together.

Each expression of a plan becomes a CronJob of its own, so a minute that two of them shared would
start twice: the set is cut into disjoint *boxes*, each a product of minutes, hours, months and
days. It is first cut as small as it needs, then boxes that differ in one dimension are joined, in
every order of the dimensions; the order that leaves the fewest wins.
"""

from itertools import permutations, product

from kedge.cron.days import MONTH_FULL, Days, Month, either_in, rule
from kedge.cron.fields import DAY, HOUR, MINUTE, MONTH, WEEKDAY, members
from kedge.cron.grid import Box, Pattern, fewer_boxes, hours_of
from kedge.cron.text import calendar_text

Signature = tuple[int, ...]
"""Where a value of one dimension belongs, per pattern: equal ones can be treated as one."""


def fewest_boxes(found: dict[Pattern, int]) -> list[tuple[Box, str]]:
    """Cut minutes of the day, given per pattern of days, into boxes with their texts."""
    cuts = {
        frozenset(_joined(atoms, order))
        for atoms in (_atoms(found), _atoms({_alike(p): times for p, times in found.items()}))
        for order in permutations(range(4))
    }
    fewest = min(map(len, cuts))
    if fewest > 1:
        fewer = fewer_boxes(found, fewest)
        if fewer:
            return [(box, _text(box)) for box in fewer]
    texts = [{box: _text(box) for box in cut} for cut in cuts if len(cut) == fewest]
    best = min(texts, key=lambda cut: (sum(map(len, cut.values())), sorted(cut.values())))
    return list(best.items())


def _text(box: Box) -> str:
    """Write a box as an expression."""
    minutes, hours, months, (rows, columns) = box
    days: Days = rule(
        rows or DAY.full, months, columns or WEEKDAY.full, either=bool(rows and columns)
    )
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


def _alike(pattern: Pattern) -> Pattern:
    """Write months alike that one rule with days of month and weekdays can serve.

    They may look different because some of the days do not exist in all of them.
    """
    rules: dict[int, int] = {}
    for rows, columns in pattern:
        if rows and columns:
            rules[columns] = rules.get(columns, 0) | rows
    months = list(pattern)
    for columns, rows in rules.items():
        for index, month in enumerate(pattern):
            if either_in(index + 1, rows, columns) == month:
                months[index] = rows, columns
    return tuple(months)


def _atoms(found: dict[Pattern, int]) -> list[Box]:
    """Cut the set so small that values of a dimension that always go together stay together."""
    masks = list(found.values())
    minutes = _classes(
        {m: tuple(hours_of(mask, m) for mask in masks) for m in members(MINUTE.full)}
    )
    hours = _classes(
        {h: tuple(mask >> 60 * h & MINUTE.full for mask in masks) for h in members(HOUR.full)}
    )
    days = _days(list(found))
    months = _classes(
        {
            m: tuple(place >> m & 1 for signature in days.values() for place in signature)
            for m in members(MONTH.full)
        }
    )
    cells = product(minutes.values(), hours.values(), months.values(), days.items())
    return [
        (minute, hour, month, day)
        for minute, hour, month, (day, signature) in cells
        for mask, place in zip(masks, signature, strict=True)
        if mask >> 60 * members(hour)[0] + members(minute)[0] & 1 and place & month
    ]


def _days(patterns: list[Pattern]) -> dict[Month, Signature]:
    """Return the parts of days that the patterns have, each with its months per pattern."""
    found: dict[Month, Signature] = {}
    rows = {d: tuple(_months(p, (1 << d, 0)) for p in patterns) for d in members(DAY.full)}
    for late in (30, 31):
        rows[late] = _completed(late, rows)
    for signature, mask in _inverse(rows).items():
        found[mask, 0] = signature
    columns = {w: tuple(_months(p, (0, 1 << w)) for p in patterns) for w in members(WEEKDAY.full)}
    for signature, mask in _inverse(columns).items():
        found[0, mask] = signature
    for month in {month for pattern in patterns for month in pattern if all(month)}:
        found[month] = tuple(_months(p, month) for p in patterns)
    return {day: signature for day, signature in found.items() if any(signature)}


def _months(pattern: Pattern, day: Month) -> int:
    """Return the months of a pattern that have this part of days.

    Days of month and days of week cannot be parted where a month has both: each day of month is
    also some weekday.
    """
    both = all(day)
    return sum(
        1 << number
        for number, (rows, columns) in enumerate(pattern, 1)
        if (rows, columns) == day
        or (not both and not (rows and columns) and (rows & day[0] or columns & day[1]))
    )


def _completed(late: int, rows: dict[int, Signature]) -> Signature:
    """Return where the 30th or the 31st may be, months included that do not have it.

    If it goes with an earlier day wherever it exists, then it can go with it everywhere.
    """
    has = sum(1 << month for month in members(MONTH.full) if MONTH_FULL[month] >> late & 1)
    for day in range(late - 1, 0, -1):
        if any(rows[day]) and tuple(place & has for place in rows[day]) == rows[late]:
            return rows[day]
    return rows[late]


def _classes(signatures: dict[int, Signature]) -> dict[Signature, int]:
    """Group values that belong to the same places, and drop those that belong nowhere."""
    return {key: mask for key, mask in _inverse(signatures).items() if any(key)}


def _inverse(signatures: dict[int, Signature]) -> dict[Signature, int]:
    found: dict[Signature, int] = {}
    for value, signature in signatures.items():
        found[signature] = found.get(signature, 0) | 1 << value
    return found
