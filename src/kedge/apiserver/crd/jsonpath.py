"""JSONPath as kubectl understands it; missing keys give nothing."""

import re
from collections.abc import Callable
from typing import Any

Values = list[Any]
Step = Callable[[Values], Values]

_STOP = re.compile(r"(?:\\.|[^ \t\r\n.,\[\]$@{}])*", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[0-9.]*")
_KEY = re.compile(r"'([^']*)'")
_SLICE = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_FILTER = re.compile(r"([^!<>=]+)([!<>=]+)(.+)", re.DOTALL)
_QUOTED = re.compile(r"""(["'])((?:\\.|(?!\1)[^\n\\])*)\1""", re.DOTALL)
_FIELDS = re.compile(r"(?:\.[A-Za-z0-9_-]+)+")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda left, right: bool(left == right),
    "!=": lambda left, right: bool(left != right),
    "<": lambda left, right: bool(left < right),
    "<=": lambda left, right: bool(left <= right),
    ">": lambda left, right: bool(left > right),
    ">=": lambda left, right: bool(left >= right),
}


class JsonPathError(ValueError):
    """The path is malformed, or does not fit the object."""


def compile_path(text: str) -> Callable[[Any], Values]:
    """Make a function that finds the values at a path. Both raise JsonPathError."""
    if _FIELDS.fullmatch(text):
        return _fields(text[1:].split("."))
    steps = _Parser(text + "}").action()
    return lambda obj: _run(steps, [obj])


def _fields(names: list[str]) -> Callable[[Any], Values]:
    def find(obj: Any) -> Values:
        for name in names:
            if not isinstance(obj, dict) or name not in obj:
                return []
            obj = obj[name]
        return [obj]

    return find


def _run(steps: list[Step], values: Values) -> Values:
    for step in steps:
        values = step(values)
    return values


class _Parser:
    """Reads what stands between braces; the opening one has been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.steps: list[Step] = []

    def action(self) -> list[Step]:
        """Read to the closing brace."""
        while not self._skip("}"):
            self._step()
        return self.steps

    def _skip(self, mark: str) -> bool:
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        return True

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise JsonPathError(f"unrecognized text at {self.text[self.at :]!r}")
        self.at = found.end()
        return found[0]

    def _step(self) -> None:
        char = self.text[self.at : self.at + 1]
        if self._skip("[?("):
            self._filter()
        elif self._skip(".."):
            self._recursive()
        elif not char or char in "\r\n":
            raise JsonPathError("unclosed action")
        elif char in " @$":
            self.at += 1
        elif self._skip("["):
            self._array()
        elif char in "\"'":
            text = _unquoted(self._take(_QUOTED))
            self.steps.append(lambda values: [text])
        elif self._skip("."):
            self._field()
        elif char in "+-" or char.isdigit():
            self._constant(_number(self._take(_NUMBER)))
        elif char == "_" or char.isalpha():
            self._word()
        else:
            raise JsonPathError(f"unrecognized character in action: {char}")

    def _word(self) -> None:
        name = self._take(_STOP)
        if name not in ("true", "false"):
            raise JsonPathError(f"unrecognized identifier {name}")
        self._constant(name == "true")

    def _constant(self, value: Any) -> None:
        self.steps.append(lambda values: [value] * len(values))

    def _field(self) -> None:
        name = self._take(_STOP)
        if name == "*":
            self.steps.append(_wildcard)
            return
        key = name.replace("\\", "")
        self.steps.append(
            lambda values: [one[key] for one in values if isinstance(one, dict) and key in one]
        )

    def _recursive(self) -> None:
        if self.steps and self.steps[-1] is _descend:
            raise JsonPathError("invalid multiple recursive descent")
        self.steps.append(_descend)
        following = self.text[self.at : self.at + 1]
        if following == "_" or following.isalnum():
            self._field()

    def _array(self) -> None:
        end = self.text.find("]", self.at)
        if end < 0 or "\n" in self.text[self.at : end]:
            raise JsonPathError("unterminated array")
        inside = self.text[self.at : end]
        self.at = end + 1
        parts = inside.split(",")
        if len(parts) > 1:
            unions = [_Parser(f"[{part.strip(' ')}]}}").action() for part in parts]
            self.steps.append(
                lambda values: [one for steps in unions for one in _run(steps, values)]
            )
        elif key := _KEY.fullmatch(inside):
            self.steps += _Parser(f".{key[1]}}}").action()
        else:
            self.steps.append(_slice(":" if inside == "*" else inside))

    def _filter(self) -> None:
        end = self._filter_end()
        inside = self.text[self.at : end]
        self.at = end + 2
        found = _FILTER.fullmatch(inside)
        if found is None:
            self.steps.append(_exists(_Parser(inside + "}").action()))
            return
        if found[2] not in _COMPARE:
            raise JsonPathError(f"unrecognized filter operator {found[2]}")
        left, right = _Parser(found[1] + "}").action(), _Parser(found[3] + "}").action()
        self.steps.append(_matching(left, right, _COMPARE[found[2]]))

    def _filter_end(self) -> int:
        """Find the parenthesis that ends a filter: the first one that is not within quotes."""
        opened, quote = False, ""
        for position in range(self.at, len(self.text)):
            char = self.text[position]
            if char in "\"'" and not quote:
                opened, quote = True, char
            elif char == quote and self.text[position - 1] != "\\":
                opened = False
            elif char == ")" and not opened:
                if self.text[position + 1 : position + 2] != "]":
                    raise JsonPathError("unclosed array expect ]")
                return position
        raise JsonPathError("unterminated filter")


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise JsonPathError(f"cannot parse number {text}") from None


def _wildcard(values: Values) -> Values:
    return [item for value in values for item in _contents(value)]


def _contents(value: Any) -> Values:
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    return value if isinstance(value, list) else []


def _descend(values: Values) -> Values:
    found = []
    for value in values:
        contents = _contents(value)
        if contents:
            found += [value, *_descend(contents)]
    return found


def _slice(text: str) -> Step:
    found = _SLICE.fullmatch(text)
    if found is None:
        raise JsonPathError(f"invalid array index {text}")
    begin, end, step = (part and part.removeprefix(":") for part in found.groups())
    alone = found[2] is None
    try:
        first = int(begin) if begin else 0
        last = first + 1 if alone else int(end) if end else None
        stride = int(step) if step else 1
    except ValueError:
        raise JsonPathError(f"array index {text} is not a number") from None

    def take(values: Values) -> Values:
        found = []
        for value in values:
            if value is not None:
                found += _cut(value, first, last, alone, stride)
        return found

    return take


def _cut(value: Any, first: int, last: int | None, alone: bool, stride: int) -> Values:
    if not isinstance(value, list):
        raise JsonPathError("not an array or slice")
    size = len(value)
    begin = first + size if first < 0 else first
    end = size if last is None else last
    if end < 0 or (end == 0 and alone):
        end += size
    if begin == end:
        return []
    if not 0 <= begin < size or not 0 <= end <= size or begin > end or stride <= 0:
        raise JsonPathError(f"array index out of bounds: index {begin}, length {size}")
    return value[begin:end:stride]


def _items(values: Values) -> Values:
    found = []
    for value in values:
        if not isinstance(value, list):
            raise JsonPathError("not an array or slice and cannot be filtered")
        found += value
    return found


def _exists(steps: list[Step]) -> Step:
    return lambda values: [one for one in _items(values) if _run(steps, [one])]


def _matching(left: list[Step], right: list[Step], compare: Callable[[Any, Any], bool]) -> Step:
    def keep(values: Values) -> Values:
        found = []
        for one in _items(values):
            lefts, rights = _run(left, [one]), _run(right, [one])
            if len(lefts) > 1 or len(rights) > 1:
                raise JsonPathError("can only compare one element at a time")
            if lefts and rights and _holds(lefts[0], rights[0], compare):
                found.append(one)
        return found

    return keep


def _holds(left: Any, right: Any, compare: Callable[[Any, Any], bool]) -> bool:
    if left.__class__ is not right.__class__ or not isinstance(left, str | bool | int | float):
        raise JsonPathError("incompatible types for comparison")
    return compare(left, right)
