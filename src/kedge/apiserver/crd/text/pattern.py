"""Regular expressions in Go's syntax: Go's errors, and a Python pattern that matches the same.

Groups are of no interest, so none captures.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from kedge.apiserver.crd.text import charset
from kedge.apiserver.crd.text.charset import Ranges

_REPEAT_LIMIT = 1000
_DEPTH_LIMIT = 1000
_INT = re.compile("0(?![0-9])|[1-9][0-9]*")
_C_ESCAPES = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_OCTAL = re.compile("0[0-7]{0,2}|[1-7][0-7]{1,2}")
_HEX = re.compile(r"x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]+)\}")
_BAD_HEX = re.compile(r"x(?:\{[0-9a-fA-F]*(?:[^0-9a-fA-F]|$)|.{0,2})", re.DOTALL)


try:
    import re2
except ImportError:
    re2 = None
else:
    RE2_OPTIONS: Final = re2.Options()
    RE2_OPTIONS.log_errors = False

HAS_RE2: Final = re2 is not None
"""Whether expressions take time in proportion to the text, whatever they are."""


class PatternError(ValueError):
    """The expression has an error; the text is Go's."""

    def __init__(self, code: str, expression: str) -> None:
        """Word it as regexp/syntax does."""
        super().__init__(f"error parsing regexp: {code}: `{expression}`")


@lru_cache(maxsize=1024)
def matcher(text: str) -> Callable[[str], bool]:
    """Make a function that says whether it matches anywhere in a text. Raises PatternError."""
    search = compiled(text).search
    return lambda value: search(value) is not None


@lru_cache(maxsize=1024)
def compiled(text: str) -> re.Pattern[str]:
    """Give the expression as a pattern. Raises PatternError.

    Texts come from users, and Python's own engine can take for ever on some of them. RE2, which is
    what Go's is like, can not; it comes with the extra `kedge[cel]`.
    """
    translated = translate(text)
    if re2 is not None:
        try:
            pattern: re.Pattern[str] = re2.compile(text, RE2_OPTIONS)
        except re2.error:
            pass  # beyond its limits of size: Python's engine takes it
        else:
            return pattern
    return re.compile(translated, re.ASCII)


def translate(text: str) -> str:
    """Write the expression in Python's syntax. Raises PatternError."""
    return _Parser(text).run()


class _Level:
    """One open group: its alternatives, the pieces of the present one, the flags outside."""

    def __init__(self, flags: frozenset[str]) -> None:
        self.flags = flags
        self.done: list[str] = []
        self.pieces: list[tuple[str, int]] = []
        self.heaviest = 1

    def close(self) -> tuple[str, int]:
        """Make one piece of the group."""
        self.bar()
        return f"(?:{'|'.join(self.done)})", self.heaviest

    def bar(self) -> None:
        """End one alternative."""
        self.done.append("".join(piece for piece, _ in self.pieces))
        self.heaviest = max([self.heaviest, *(weight for _, weight in self.pieces)])
        self.pieces = []


class _Parser:
    """Reads an expression from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.flags: frozenset[str] = frozenset()
        self.levels = [_Level(self.flags)]
        self.last_repeat: int | None = None

    def run(self) -> str:
        """Read it all."""
        while self.at < len(self.text):
            start = self.at
            repeats = self._step(self.text[self.at])
            self.last_repeat = start if repeats else None
        if len(self.levels) != 1:
            raise PatternError("missing closing )", self.text)
        return self.levels[0].close()[0]

    def _step(self, char: str) -> bool:
        """Read one thing; whether it was a repetition."""
        if char in "*+?":
            self.at += 1
            self._repeat(self.at - 1, char, 0)
            return True
        if char == "{":
            return self._counted()
        if char == "(":
            self._open()
        elif char == ")":
            self._close()
        elif char == "|":
            self.at += 1
            self.levels[-1].bar()
        elif char == "[":
            self._push(_show(self._class()))
        elif char == "\\":
            self._escape()
        else:
            self.at += 1
            self._push(self._plain(char))
        return False

    def _push(self, piece: str, weight: int = 1) -> None:
        self.levels[-1].pieces.append((piece, weight))

    def _plain(self, char: str) -> str:
        if char == "^":
            return "(?m:^)" if "m" in self.flags else r"\A"
        if char == "$":
            return "(?m:$)" if "m" in self.flags else r"\Z"
        if char == ".":
            return "(?s:.)" if "s" in self.flags else r"[^\n]"
        return self._literal(char)

    def _literal(self, char: str) -> str:
        code = ord(char)
        if "i" in self.flags:
            return _show(charset.fold(((code, code),)))
        return re.escape(char)

    def _open(self) -> None:
        if len(self.levels) > _DEPTH_LIMIT:
            raise PatternError("expression nests too deeply", self.text)
        if self.text.startswith("(?", self.at):
            self._perl_group()
        else:
            self.at += 1
            self.levels.append(_Level(self.flags))

    def _close(self) -> None:
        if len(self.levels) == 1:
            raise PatternError("unexpected )", self.text)
        self.at += 1
        level = self.levels.pop()
        self.flags = level.flags
        self._push(*level.close())

    def _perl_group(self) -> None:
        start, rest = self.at, self.text[self.at :]
        named = 4 if rest.startswith("(?P<") and len(rest) > 4 else 3 if rest[2:3] == "<" else 0
        if named and len(rest) > 3:
            end = rest.find(">")
            if end < 0:
                raise PatternError("invalid named capture", rest)
            if re.fullmatch("[0-9A-Za-z_]+", rest[named:end]) is None:
                raise PatternError("invalid named capture", rest[: end + 1])
            self.at = start + end + 1
            self.levels.append(_Level(self.flags))
            return
        found = re.match(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])", rest)
        if found is None:
            wrong = re.match(r"\(\?[imsU]*(?:-[imsU]*)?.?", rest, re.DOTALL)
            raise PatternError("invalid or unsupported Perl syntax", wrong[0] if wrong else rest)
        self.at = start + found.end()
        flags = (self.flags | set(found[1])) - set(found[2] or "")
        if found[3] == ":":
            self.levels.append(_Level(self.flags))
        self.flags = flags

    def _repeat(self, start: int, mark: str, count: int) -> None:
        """Apply a repetition that begins at `start` to the last piece."""
        lazy = self.text.startswith("?", self.at)
        self.at += lazy
        if self.last_repeat is not None:
            wrong = self.text[self.last_repeat : self.at]
            raise PatternError("invalid nested repetition operator", wrong)
        pieces = self.levels[-1].pieces
        if not pieces:
            wrong = self.text[start : self.at]
            raise PatternError("missing argument to repetition operator", wrong)
        piece, weight = pieces.pop()
        weight = weight * count if count > 0 else weight
        if weight > _REPEAT_LIMIT:
            raise PatternError("invalid repeat count", self.text[start : self.at])
        self._push(f"(?:{piece}){mark}{'?' if lazy != ('U' in self.flags) else ''}", weight)

    def _counted(self) -> bool:
        """Read a repetition in braces, or else just a brace."""
        start = self.at
        found = re.compile(rf"\{{({_INT.pattern})(?:(,)({_INT.pattern})?)?\}}").match(
            self.text, start
        )
        if found is None:
            self.at += 1
            self._push(re.escape("{"))
            return False
        least = int(found[1])
        most = int(found[3]) if found[3] else None if found[2] else least
        if max(least, most or 0) > _REPEAT_LIMIT or (most is not None and least > most):
            raise PatternError("invalid repeat count", found[0])
        self.at = found.end()
        self._repeat(start, found[0], least if most is None else most)
        return True

    def _escape(self) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if following and following in "AbBz":
            self.at += 2
            self._push(r"\Z" if following == "z" else f"\\{following}")
        elif following == "C":
            raise PatternError("invalid escape sequence", r"\C")
        elif following == "Q":
            quoted, _, _ = self.text[self.at + 2 :].partition(r"\E")
            self.at = min(len(self.text), self.at + 4 + len(quoted))
            for char in quoted:
                self._push(self._literal(char))
        else:
            group = self._group_escape()
            self._push(self._literal(self._char_escape()) if group is None else _show(group))

    def _group_escape(self) -> Ranges | None:
        r"""Read a class such as \d or \p{Greek}, if one comes next."""
        following = self.text[self.at + 1 : self.at + 2]
        if following and following in "pP":
            return self._unicode_escape(following == "P")
        ranges = charset.PERL.get(following.lower()) if following else None
        if ranges is None:
            return None
        self.at += 2
        ranges = self._folded(ranges)
        return charset.negate(ranges) if following.isupper() else ranges

    def _folded(self, ranges: Ranges) -> Ranges:
        return charset.fold(ranges) if "i" in self.flags else ranges

    def _unicode_escape(self, negative: bool) -> Ranges:
        rest = self.text[self.at :]
        if rest[2:3] == "{":
            end = rest.find("}")
            if end < 0:
                raise PatternError("invalid character class range", rest)
            whole, name = rest[: end + 1], rest[3:end]
        else:
            whole, name = rest[:3], rest[2:3]
        if name.startswith("^"):
            negative, name = not negative, name[1:]
        ranges = charset.unicode_class(name)
        if ranges is None:
            raise PatternError("invalid character class range", whole)
        self.at += len(whole)
        ranges = self._folded(ranges)
        return charset.negate(ranges) if negative else ranges

    def _char_escape(self) -> str:
        start = self.at
        following = self.text[start + 1 : start + 2]
        if not following:
            raise PatternError("trailing backslash at end of expression", "")
        self.at += 2
        if following.isascii() and not following.isalnum():
            return following
        if following in _C_ESCAPES:
            return _C_ESCAPES[following]
        for pattern, base in ((_OCTAL, 8), (_HEX, 16)):
            found = pattern.match(self.text, start + 1)
            digits = found and (found[0] if base == 8 else found[1] or found[2])
            if found and digits and int(digits, base) <= charset.MAX_RUNE:
                self.at = found.end()
                return chr(int(digits, base))
        wrong = _BAD_HEX.match(self.text, start + 1)
        end = wrong.end() if wrong else start + 2
        raise PatternError("invalid escape sequence", self.text[start:end])

    def _class(self) -> Ranges:
        start = self.at
        self.at += 1
        negative = self.text.startswith("^", self.at)
        self.at += negative
        ranges: list[tuple[int, int]] = []
        first = True
        while first or not self.text.startswith("]", self.at):
            first = False
            ranges += self._class_part(start)
        self.at += 1
        return charset.negate(ranges) if negative else charset.clean(ranges)

    def _class_part(self, start: int) -> Ranges:
        named = self._posix_class()
        if named is not None:
            return named
        if self.text.startswith("\\", self.at):
            group = self._group_escape()
            if group is not None:
                return group
        begin = self.at
        low = high = self._class_char(start)
        dash = self.text[self.at : self.at + 2]
        if len(dash) == 2 and dash[0] == "-" and dash[1] != "]":
            self.at += 1
            high = self._class_char(start)
            if high < low:
                wrong = self.text[begin : self.at]
                raise PatternError("invalid character class range", wrong)
        return self._folded(((ord(low), ord(high)),))

    def _class_char(self, start: int) -> str:
        if self.at >= len(self.text):
            raise PatternError("missing closing ]", self.text[start:])
        if self.text[self.at] == "\\":
            return self._char_escape()
        self.at += 1
        return self.text[self.at - 1]

    def _posix_class(self) -> Ranges | None:
        if not self.text.startswith("[:", self.at) or self.at + 2 >= len(self.text):
            return None
        end = self.text.find(":]", self.at + 2)
        if end < 0:
            return None
        name = self.text[self.at + 2 : end]
        ranges = charset.POSIX.get(name.removeprefix("^"))
        if ranges is None:
            raise PatternError("invalid character class range", self.text[self.at : end + 2])
        self.at = end + 2
        ranges = self._folded(ranges)
        return charset.negate(ranges) if name.startswith("^") else ranges


def _show(ranges: Ranges) -> str:
    """Write a set in Python's syntax; an empty one matches nothing."""
    if not ranges:
        return "(?!)"
    parts = (_char(low) if low == high else f"{_char(low)}-{_char(high)}" for low, high in ranges)
    return f"[{''.join(parts)}]"


def _char(code: int) -> str:
    if code < 0x80 and chr(code).isalnum():
        return chr(code)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
