"""Patterns for names: `*`, `?`, `[abc]`, `[!a-c]`, `{this,that}`; a backslash takes its meaning."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

Matcher = Callable[[str], bool]
SPECIAL: Final = frozenset("*?[]{}\\")


class GlobError(ValueError):
    """A text that is no pattern."""


def is_pattern(text: str) -> bool:
    """Tell whether a text may match others than itself."""
    return not SPECIAL.isdisjoint(text)


@lru_cache(maxsize=1024)
def matcher(pattern: str, separator: str = "") -> Matcher:
    """Make a test for names out of a pattern; what is none matches itself only.

    With a separator, `*` and `?` do not go beyond it; `**` does.
    """
    if not is_pattern(pattern):
        return pattern.__eq__
    try:
        found = re.compile(_Reader(pattern, separator).whole(), re.DOTALL)
    except GlobError:
        return pattern.__eq__
    return lambda text: found.fullmatch(text) is not None


def glob_problem(text: str) -> str:
    """Say why a text is no pattern; empty if it is one."""
    try:
        _Reader(text).whole()
    except GlobError as exc:
        return str(exc)
    return ""


class _Reader:
    """Reads a pattern from left to right into a regular expression."""

    def __init__(self, text: str, separator: str = "") -> None:
        self._text = text
        self._at = 0
        self._any = f"[^{re.escape(separator)}]" if separator else "."

    def whole(self) -> str:
        """Read all of it."""
        return self._sequence(inner=False)

    def _sequence(self, *, inner: bool) -> str:
        out = []
        while self._at < len(self._text):
            char = self._text[self._at]
            if inner and char in ",}":
                break
            self._at += 1
            out.append(self._part(char))
        return "".join(out)

    def _part(self, char: str) -> str:
        if char == "*":
            deep = self._text.startswith("*", self._at)
            self._at += deep
            return ".*" if deep else f"{self._any}*"
        if char == "?":
            return self._any
        if char == "[":
            return self._class()
        if char == "{":
            return self._alternatives()
        if char == "\\":
            return re.escape(self._next())
        return re.escape(char)

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise GlobError(f"{self._text!r} ends in the middle")
        self._at += 1
        return self._text[self._at - 1]

    def _class(self) -> str:
        sign = "^" if self._text.startswith("!", self._at) else ""
        self._at += len(sign)
        inside = []
        while (char := self._next()) != "]":
            low = self._next() if char == "\\" else char
            if self._text.startswith("-", self._at) and self._text[self._at + 1 :][:1] not in "]":
                self._at += 1
                high = self._next()
                if low > high:
                    raise GlobError(f"{self._text!r} has a range that ends before it begins")
                inside.append(f"{re.escape(low)}-{re.escape(high)}")
            else:
                inside.append(re.escape(low))
        if not inside:
            raise GlobError(f"{self._text!r} has empty brackets")
        return f"[{sign}{''.join(inside)}]"

    def _alternatives(self) -> str:
        found = [self._sequence(inner=True)]
        while self._next() == ",":
            found.append(self._sequence(inner=True))
        return f"(?:{'|'.join(found)})"
