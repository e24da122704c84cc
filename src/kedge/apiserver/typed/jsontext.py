"""JSON as Go reads it: doubled keys and the text of numbers are kept, errors are in Go's words.

The server reads bodies with a faster decoder. This one is asked when that finds a fault, or finds
itself too deep: it works without recursion, and knows Go's limit.
"""

import codecs
import re
from typing import Any, Final

from kedge.kube.goerror import GoError
from kedge.kube.gonumbers import Literal

MAX_DEPTH: Final = 10_000  # encoding/json
LONGEST_INTEGER: Final = 400
"""Digits of what may be an integer: no field takes more, and reading many takes long."""

_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_STRING: Final = re.compile(
    rb'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'
)
_NUMBER: Final = re.compile(rb"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_ESCAPE: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_SHORT: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: Final = {b"t": (b"true", True), b"f": (b"false", False), b"n": (b"null", None)}
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

VALUE: Final = "looking for beginning of value"
KEY: Final = "looking for beginning of object key string"
AFTER_KEY: Final = "after object key"
AFTER_PAIR: Final = "after object key:value pair"
AFTER_ELEMENT: Final = "after array element"
AFTER_TOP: Final = "after top-level value"
END: Final = b" "
"""What Go feeds its scanner at the end of the text: within a literal that is a wrong character."""


class Pairs(list[tuple[str, Any]]):
    """An object as it was written: every key and value in order, doubled keys included."""


def _replace_byte(error: UnicodeError) -> tuple[str, int]:
    # Go puts one replacement character for each byte it does not understand.
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd", error.start + 1


codecs.register_error("kedge.go", _replace_byte)


def parse(data: bytes) -> Any:
    """Read a JSON text: objects as Pairs, floats as Literals. Raises GoError with Go's words."""
    return _Parser(data).parse()


class _Parser:
    """A cursor over the bytes and the collections that are open."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.stack: list[Any] = []
        self.keys: list[str] = []

    def parse(self) -> Any:
        while True:
            value, opened = self._value()
            if opened:
                continue
            while True:
                if not self.stack:
                    self._end()
                    return value
                if self._store(value):
                    break
                value = self.stack.pop()

    def _value(self) -> tuple[Any, bool]:
        """Read a value, or open a collection whose first element comes next."""
        char = self._peek()
        if char == b"{":
            return self._open(Pairs(), char, b"}")
        if char == b"[":
            return self._open([], char, b"]")
        if char == b'"':
            return self._string(), False
        if char in _WORDS:
            return self._word(*_WORDS[char]), False
        if char == b"-" or char.isdigit():
            return self._number(), False
        raise self._fault(char, VALUE)

    def _open(self, collection: Any, char: bytes, closing: bytes) -> tuple[Any, bool]:
        if len(self.stack) >= MAX_DEPTH:
            raise self._fault(char, "exceeded max depth")
        self.at += 1
        if self._peek() == closing:
            self.at += 1
            return collection, False
        self.stack.append(collection)
        if closing == b"}":
            self._key()
        return collection, True

    def _key(self) -> None:
        char = self._peek()
        if char != b'"':
            raise self._fault(char, KEY)
        self.keys.append(self._string())
        self._expect(b":", AFTER_KEY)

    def _store(self, value: Any) -> bool:
        """Put a value into the open collection; False if that ends here."""
        top = self.stack[-1]
        if isinstance(top, Pairs):
            top.append((self.keys.pop(), value))
            return self._goes_on(b"}", AFTER_PAIR, key=True)
        top.append(value)
        return self._goes_on(b"]", AFTER_ELEMENT, key=False)

    def _goes_on(self, closing: bytes, context: str, key: bool) -> bool:
        char = self._peek()
        if char == b",":
            self.at += 1
            if key:
                self._key()
            return True
        if char != closing:
            raise self._fault(char, context)
        self.at += 1
        return False

    def _expect(self, wanted: bytes, context: str) -> None:
        char = self._peek()
        if char != wanted:
            raise self._fault(char, context)
        self.at += 1

    def _end(self) -> None:
        char = self._peek()
        if char:
            raise self._fault(char, AFTER_TOP)

    def _peek(self) -> bytes:
        space = _SPACE.match(self.data, self.at)
        assert space is not None
        self.at = space.end()
        return self.data[self.at : self.at + 1]

    def _string(self) -> str:
        found = _STRING.match(self.data, self.at)
        if found is None:
            raise self._string_fault()
        self.at = found.end()
        return unquote(found[0][1:-1])

    def _word(self, text: bytes, value: Any) -> Any:
        for offset, wanted in enumerate(text):
            char = self.data[self.at + offset : self.at + offset + 1]
            if char != bytes([wanted]):
                context = f"in literal {text.decode()} (expecting '{chr(wanted)}')"
                raise self._fault(char or END, context)
        self.at += len(text)
        return value

    def _number(self) -> Any:
        found = _NUMBER.match(self.data, self.at)
        rest = self.data[self.at : self.at + 2]
        if found is None:  # only a lone minus does not match
            raise self._fault(rest[1:2] or END, "in numeric literal")
        following = self.data[found.end() : found.end() + 2]
        if following[:1] == b"." and found[1] is None and found[2] is None:
            raise self._fault(following[1:2] or END, "after decimal point in numeric literal")
        if following[:1] in {b"e", b"E"} and found[2] is None:
            start = found.end() + 1
            start += self.data[start : start + 1] in {b"+", b"-"}
            char = self.data[start : start + 1]
            raise self._fault(char or END, "in exponent of numeric literal")
        self.at = found.end()
        text = found[0].decode()
        if found[1] is not None or found[2] is not None or len(text) > LONGEST_INTEGER:
            return Literal(text)
        return int(text)

    def _string_fault(self) -> GoError:
        at = self.at + 1
        while at < len(self.data):
            char = self.data[at : at + 1]
            if char < b" ":
                return self._fault(char, "in string literal")
            at += 1
            if char != b"\\":
                continue
            char = self.data[at : at + 1]
            if char == b"u":
                for char in (self.data[at + i : at + i + 1] for i in range(1, 5)):
                    if not re.fullmatch(rb"[0-9a-fA-F]", char):
                        return self._fault(char or END, "in \\u hexadecimal character escape")
            elif char not in b'"\\/bfnrt' or not char:
                return self._fault(char or END, "in string escape code")
            at += 1
        return self._fault(b"", "")

    def _fault(self, char: bytes, context: str) -> GoError:
        if not char:
            return GoError("unexpected end of JSON input")
        return GoError(f"invalid character {_quoted(char)} {context}")


def _quoted(char: bytes) -> str:
    if char == b"'":
        return r"'\''"
    if char == b'"':
        return "'\"'"
    from kedge.kube.gotext import quote

    return f"'{quote(chr(char[0]))[1:-1]}'"


def unquote(raw: bytes) -> str:
    """Read the text between the quotes of a JSON string."""
    text = raw.decode("utf-8", "kedge.go")
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_unescape, text)
    if _SURROGATE.search(text):
        # Halves that were written as two escapes become one character, a lone half the replacement.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _unescape(found: "re.Match[str]") -> str:
    char = found[0][1]
    if char == "u":
        return chr(int(found[0][2:], 16))
    return _SHORT.get(char, char)
