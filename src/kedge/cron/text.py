"""The shortest text of a schedule: sets back to fields, one canonical way to write each."""

from functools import lru_cache

from kedge.cron.cover import Piece, cheapest_cover
from kedge.cron.days import MONTH_DAYS, MONTH_FULL, Days
from kedge.cron.fields import (
    DAY,
    HOUR,
    MINUTE,
    MONTH,
    WEEKDAY,
    Field,
    members,
    span,
    stepped,
    union,
)

PLAIN, RANGE, STEP, STEPPED_RANGE, SPARE = 1, 3, 4, 8, 3
"""How unfamiliar a piece is, to choose between texts of one length. Two numbers are plainer than a
range, a range is plainer than a step; a number that need not be in the set is a surprise."""


@lru_cache(maxsize=1024)
def calendar_text(minutes: int, hours: int, days: Days) -> str:
    """Return the five fields, each as short as can be."""
    time = f"{field_text(MINUTE, minutes)} {field_text(HOUR, hours)}"
    return f"{time} {days_text(days)}"


def days_text(days: Days) -> str:
    """Return the three fields for the days."""
    rows, columns, months = days.parts()
    weekday = field_text(WEEKDAY, columns) if columns else "*"
    if not rows:
        return f"* {field_text(MONTH, months)} {weekday}"
    longest = max(MONTH_DAYS[month] for month in members(months))
    day, written = _shortest(DAY, rows, rows | span(longest + 1, DAY.high))
    idle = 0  # months that have none of these days may be named or not
    if not columns:
        idle = sum(1 << month for month in range(1, 13) if not written & MONTH_FULL[month])
    return f"{day} {field_text(MONTH, months, months | idle)} {weekday}"


def field_text(field: Field, needed: int, allowed: int | None = None) -> str:
    """Return the shortest text for a set that holds all that is needed and nothing not allowed."""
    return _shortest(field, needed, needed if allowed is None else allowed)[0]


@lru_cache(maxsize=4096)
def _shortest(field: Field, needed: int, allowed: int) -> tuple[str, int]:
    """Return the text and the set it stands for."""
    if allowed == field.full:
        return "*", field.full
    pieces = sorted(cheapest_cover(needed, _pieces(field, needed, allowed)), key=_order)
    return ",".join(piece.text for piece in pieces), union(piece.mask for piece in pieces)


def _order(piece: Piece) -> tuple[list[int], str]:
    return members(piece.mask), piece.text


def _pieces(field: Field, needed: int, allowed: int) -> list[Piece]:
    """List the pieces worth writing: each longest of its kind, and shorter than its numbers."""
    singles = {v: Piece((len(str(v)) + 1, PLAIN), str(v), 1 << v) for v in members(needed)}
    found: dict[int, Piece] = {}
    for low in members(allowed):
        for step in range(1, field.high - low + 1):
            if low - step >= field.low and allowed >> low - step & 1:
                continue  # it can start earlier
            for piece in _progressions(field, low, step, allowed):
                gain = [singles[v].cost for v in members(piece.mask & needed)]
                spare = (piece.mask & ~needed).bit_count() * SPARE
                cost = (piece.cost[0], piece.cost[1] + spare)
                if cost < (sum(c[0] for c in gain), sum(c[1] for c in gain)):
                    known = found.get(piece.mask)
                    if known is None or cost < known.cost:
                        found[piece.mask] = piece._replace(cost=cost)
    pieces = [*singles.values(), *found.values()]
    return [p for p in pieces if not any(_dominates(q, p, needed) for q in pieces)]


def _dominates(better: Piece, piece: Piece, needed: int) -> bool:
    """Say whether one piece covers what the other does, and costs less."""
    return better.cost < piece.cost and not piece.mask & needed & ~better.mask


def _progressions(field: Field, low: int, step: int, allowed: int) -> list[Piece]:
    """List the ways to write the numbers from low on that are a step apart."""
    high = low
    while high + step <= field.high and allowed >> high + step & 1:
        high += step
    found = []
    if step > 1 and high + step > field.high:  # it runs to the end of the field
        start = "*" if low == field.low else str(low)
        weight = 0 if low == field.low else STEP
        found.append((f"{start}/{step}", weight, high))
    ends = {high} | ({low + (9 - low) // step * step} if low < 9 < high else set())
    for end in ends:  # a range that stops at one digit is shorter
        if step == 1:
            found.append((f"{low}-{end}", RANGE, end))
        elif end - low >= 2 * step:
            found.append((f"{low}-{end}/{step}", STEPPED_RANGE, end))
    return [
        Piece((len(text) + 1, weight), text, stepped(low, end, step)) for text, weight, end in found
    ]
