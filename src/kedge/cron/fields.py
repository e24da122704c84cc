"""One field of an expression: its bounds, its names, and its text as a set of numbers.

A set of numbers is an int used as a bit mask: bit n is set when n is in the set.
"""

from collections.abc import Iterable

from kedge.cron.errors import CronError

LARGEST = (1 << 63) - 1
"""The largest number that the original's parser can hold; a larger step is an error there too."""


class Field:
    """What may stand at one of the five places."""

    __slots__ = ("_simple", "full", "high", "low", "name", "names")

    def __init__(self, name: str, low: int, high: int, names: str = "") -> None:
        self.name = name
        self.low = low
        self.high = high
        self.names = {word: low + index for index, word in enumerate(names.split())}
        self.full = span(low, high)
        # Most fields of most schedules are one of these.
        self._simple = {str(value): (1 << value, False) for value in range(low, high + 1)}
        self._simple |= {"*": (self.full, True), "?": (self.full, True)}

    def parse(self, text: str, position: int) -> tuple[int, bool]:
        """Return the set, and whether the text leaves the field unrestricted.

        Unrestricted is a `*` or `?` without a step, or with step 1, anywhere in the list. It is
        not the same as a full set: `*` and `0-6` differ where a day of month stands beside them.
        """
        simple = self._simple.get(text)
        if simple:
            return simple
        mask, star = 0, False
        for piece in text.split(","):
            if piece:  # the original skips empty pieces, so that `1,` and `,` are lists
                part, wild = self._piece(piece, position)
                mask |= part
                star = star or wild
            position += len(piece) + 1
        return mask, star

    def _piece(self, piece: str, position: int) -> tuple[int, bool]:
        """Read one `a`, `a-b`, `*`, each with an optional `/step`."""
        ends, *steps = piece.split("/")
        if len(steps) > 1:
            raise self._error("too many slashes; write one step, as in */15", piece, position)
        first, *rest = ends.split("-")
        wild = first in ("*", "?")
        if wild:  # whatever follows the hyphen is ignored, as the original does
            low, high = self.low, self.high
        elif len(rest) > 1:
            raise self._error("too many hyphens; write one range, as in 1-5", piece, position)
        else:
            low = self._value(first, piece, position)
            high = self._value(rest[0], piece, position) if rest else low
        if not steps:
            return span(low, self._ordered(low, high, piece, position)), wild
        step = self._number(steps[0], piece, position)
        if step == 0:
            raise self._error("a step must be 1 or more", piece, position)
        if not rest:
            high = self.high  # `a/n` means `a-max/n`
        return stepped(low, self._ordered(low, high, piece, position), step), wild and step == 1

    def _ordered(self, low: int, high: int, piece: str, position: int) -> int:
        """Return the upper end if the range lies within the bounds and is not reversed."""
        for value in (low, high):
            if not self.low <= value <= self.high:
                raise self._error(
                    f"{value} is outside {self.low}-{self.high}{self._hint(value)}", piece, position
                )
        if low > high:
            raise self._error(
                f"{low} comes after {high}; split it in two, as in {low}-{self.high},"
                f"{self.low}-{high}",
                piece,
                position,
            )
        return high

    def _hint(self, value: int) -> str:
        return "; Sunday is 0" if value == 7 and "sun" in self.names else ""

    def _value(self, text: str, piece: str, position: int) -> int:
        named = self.names.get(text.lower())
        return self._number(text, piece, position) if named is None else named

    def _number(self, text: str, piece: str, position: int) -> int:
        digits = text[1:] if text[:1] in ("+", "-") else text
        if not (digits.isascii() and digits.isdigit()):
            raise self._error(self._expected(text), piece, position)
        digits = digits.lstrip("0") or "0"
        if len(digits) > len(str(LARGEST)) or int(digits) > LARGEST:
            raise self._error("the number is too large", piece, position)
        if text[0] == "-" and digits != "0":
            raise self._error("a step must be 1 or more", piece, position)
        return int(digits)

    def _expected(self, text: str) -> str:
        wanted = f"a number from {self.low} to {self.high}"
        if self.names:
            words = list(self.names)
            wanted += f" or a name from {words[0]} to {words[-1]}"
        return f"{wanted} is missing" if not text else f"{text[:20]!r} is not {wanted}"

    def _error(self, reason: str, piece: str, position: int) -> CronError:
        return CronError(reason, field=self.name, piece=piece, position=position)


def span(low: int, high: int) -> int:
    """Return the set of the numbers from low to high."""
    return (2 << high) - (1 << low) if low <= high else 0


def stepped(low: int, high: int, step: int) -> int:
    """Return the set of every step-th number from low to high."""
    return sum(1 << value for value in range(low, high + 1, step))


def union(masks: Iterable[int]) -> int:
    """Return the set of all that is in any of the sets."""
    total = 0
    for mask in masks:
        total |= mask
    return total


def members(mask: int) -> list[int]:
    """List the numbers of a set in order."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found


MINUTE = Field("minute", 0, 59)
HOUR = Field("hour", 0, 23)
DAY = Field("day of month", 1, 31)
MONTH = Field("month", 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec")
WEEKDAY = Field("day of week", 0, 6, "sun mon tue wed thu fri sat")
FIELDS = (MINUTE, HOUR, DAY, MONTH, WEEKDAY)
