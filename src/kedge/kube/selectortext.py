"""The text of a label selector: `a=b, c in (d, e), !f, g>3`."""

import re
from itertools import takewhile
from typing import Final, NamedTuple

from kedge.kube.fielderror import invalid
from kedge.kube.names import qualified_name
from kedge.kube.requirements import (
    DOES_NOT_EXIST,
    DOUBLE_EQUALS,
    EQUALS,
    EXISTS,
    GREATER,
    IN,
    LESS,
    NOT_EQUALS,
    NOT_IN,
    Requirement,
    SelectorError,
    requirement,
)

_BINARY: Final = {
    "in": IN,
    "notin": NOT_IN,
    "=": EQUALS,
    "==": DOUBLE_EQUALS,
    "!=": NOT_EQUALS,
    ">": GREATER,
    "<": LESS,
}
_WORDS: Final = ("in", "notin")
_END: Final = ""


class _Token(NamedTuple):
    text: str
    word: bool = False
    """A key or a value; `in` and `notin` are words too, where no operator is due."""


# NUL ends a token, and all that follows if it stands alone, as it does in Kubernetes.
_TOKENS: Final = re.compile(
    r"[ \t\r\n]*(?:(?P<sign>==|!=|[=!(),<>])\0?|(?P<word>[^=!(),<>\0 \t\r\n]+)\0?|(?P<end>\0|\Z))"
)


def parse_requirements(text: str) -> list[Requirement]:
    """Read the requirements of a selector, or raise SelectorError."""
    return _Parser(text).selector()


class _Parser:
    """Reads the grammar from left to right; never needs to look further than one token."""

    def __init__(self, text: str) -> None:
        found = takewhile(lambda match: match["end"] is None, _TOKENS.finditer(text))
        self._tokens = [_Token(each["sign"] or each["word"], bool(each["word"])) for each in found]
        self._tokens.append(_Token(_END))
        self._position = 0

    def _peek(self) -> _Token:
        return self._tokens[self._position]

    def _take(self) -> _Token:
        self._position += 1
        return self._tokens[self._position - 1]

    def selector(self) -> list[Requirement]:
        """Read requirements with commas between them."""
        found: list[Requirement] = []
        while (token := self._peek()).text != _END:
            if not _starts(token):
                raise _found(token, "expected: !, identifier, or 'end of string'")
            try:
                found.append(self._requirement())
            except SelectorError as error:
                raise SelectorError(f"unable to parse requirement: {error}") from None
            token = self._take()
            if token.text == _END:
                break
            if token.text != ",":
                raise _found(token, "expected: ',' or 'end of string'")
            if not _starts(self._peek()):
                raise _found(self._peek(), "expected: identifier after ','")
        return found

    def _requirement(self) -> Requirement:
        token = self._take()
        negated = token.text == "!"
        if negated:
            token = self._take()
        if not token.word:
            raise _found(token, "expected: identifier")
        key = token.text
        problems = qualified_name(key)
        if problems:  # Kubernetes has no path for it
            raise SelectorError(str(invalid("<nil>", key, "; ".join(problems))))
        if negated:
            return requirement(key, DOES_NOT_EXIST, [])
        if self._peek().text in (_END, ","):
            return requirement(key, EXISTS, [])
        token = self._take()
        operator = _BINARY.get(token.text)
        if operator is None:
            raise _found(token, f"expected: {', '.join(_BINARY.values())}")
        values = self._values() if operator in (IN, NOT_IN) else {self._value()}
        return requirement(key, operator, sorted(values))

    def _value(self) -> str:
        if self._peek().text in (_END, ","):
            return ""
        token = self._take()
        if not token.word:
            raise _found(token, "expected: identifier")
        return token.text

    def _values(self) -> set[str]:
        """Read `(a,b)`; a value may be missing, which means the empty one."""
        token = self._take()
        if token.text != "(":
            raise SelectorError(f"found '{token.text}' expected: '('")
        token = self._peek()
        if not token.word and token.text not in (",", ")"):
            raise _found(token, "expected: ',', ')' or identifier")
        values: set[str] = set()
        while self._peek().text != ")":
            self._next_value(values)
        self._take()
        return values or {""}

    def _next_value(self, values: set[str]) -> None:
        token = self._take()
        if token.word:
            values.add(token.text)
            if self._peek().text not in (",", ")"):
                raise _found(self._peek(), "expected: ',' or ')'")
            return
        if token.text != ",":
            raise _found(token, "expected: ',', or identifier")
        following = self._peek().text
        if not values or following in (",", ")"):
            values.add("")
        if following == ",":  # Kubernetes takes two commas at once, and then wants more than `)`
            self._take()
            if self._peek().text == ")":
                raise _found(self._peek(), "expected: ',', or identifier")


def _starts(token: _Token) -> bool:
    return token.word or token.text == "!"


def _found(token: _Token, expected: str) -> SelectorError:
    return SelectorError(f"found '{token.text}', {expected}")
