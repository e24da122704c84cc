"""Functions on texts."""

import re
from collections.abc import Callable
from typing import Any

from kedge.apiserver.crd.cel import clock, template
from kedge.apiserver.crd.cel.conversion import (
    TypeValue,
    double_text,
    from_bytes,
    special_text,
    type_name,
)
from kedge.apiserver.crd.cel.value import CelError, Duration, Timestamp, Uint, no_such_overload
from kedge.apiserver.crd.text.pattern import PatternError, compiled
from kedge.kube.gotext import quote as go_quote

_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    chr(code) for code in range(0x2000, 0x200B)
)
_QUOTES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}


def _texts(*values: Any) -> None:
    if any(value.__class__ is not str for value in values):
        raise no_such_overload()


def _method(run: Callable[[str, str], bool]) -> Callable[[Any, Any], bool]:
    def call(value: Any, other: Any) -> bool:
        _texts(value, other)
        return run(value, other)

    return call


def matches(value: Any, pattern: Any) -> bool:
    """Say whether a pattern matches anywhere in a text."""
    _texts(value, pattern)
    return _pattern(pattern, "").search(value) is not None


def _pattern(text: str, prefix: str) -> re.Pattern[str]:
    try:
        return compiled(text)
    except PatternError as exc:
        raise CelError(f"{prefix}{exc}") from None


def find(value: str, pattern: str) -> str:
    """Give the first match, or an empty text."""
    found = _pattern(pattern, "Illegal regex: ").search(value)
    return found[0] if found else ""


def find_all(value: str, pattern: str, limit: int = -1) -> list[str]:
    """Give all matches, or the first few."""
    found: list[str] = []
    end = -1
    for one in _pattern(pattern, "Illegal regex: ").finditer(value):
        if one[0] or one.start() != end:  # Go leaves out an empty match right behind another
            found.append(one[0])
        end = one.end()
    return found if limit < 0 else found[:limit]


def _place(value: str, index: int) -> int:
    if not 0 <= index <= len(value):
        raise CelError(f"index out of range: {index}")
    return index


def char_at(value: str, index: int) -> str:
    """Give one character; empty at the end."""
    return value[_place(value, index) : index + 1]


def index_of(value: str, part: str, start: int = 0) -> int:
    """Find the first place of a part, or -1."""
    if not part:
        return start
    if start < 0:
        raise CelError(f"index out of range: {start}")
    return value.find(part, start)


def last_index_of(value: str, part: str, end: int | None = None) -> int:
    """Find the last place of a part, or -1."""
    limit = len(value) if end is None else end
    if not part:
        return limit
    if limit < 0:
        raise CelError(f"index out of range: {limit}")
    if end is not None and end >= len(value):
        return -1
    return value.rfind(part, 0, limit + len(part))


def replace(value: str, old: str, new: str, count: int = -1) -> str:
    """Put one text in the place of another."""
    return value.replace(old, new, count)


def split(value: str, mark: str, limit: int = -1) -> list[str]:
    """Cut a text at a mark."""
    if limit == 0:
        return []
    if limit == 1:
        return [value]
    if not mark:
        parts = list(value)
        return parts if limit < 0 else [*parts[: limit - 1], "".join(parts[limit - 1 :])]
    return value.split(mark, limit - 1 if limit > 0 else -1)


def substring(value: str, start: int, end: int | None = None) -> str:
    """Cut out a part."""
    limit = len(value) if end is None else end
    if end is not None and start > limit:
        raise CelError(f"invalid substring range. start: {start}, end: {limit}")
    if not 0 <= start <= len(value):
        raise CelError(f"index out of range: {start}")
    if not 0 <= limit <= len(value):
        raise CelError(f"index out of range: {limit}")
    return value[start:limit]


def join(items: list[str], mark: str = "") -> str:
    """Put texts together."""
    _texts(*items)
    return mark.join(items)


def lower_ascii(value: str) -> str:
    """Turn capitals of ASCII into small letters."""
    return re.sub("[A-Z]", lambda found: found[0].lower(), value)


def upper_ascii(value: str) -> str:
    """Turn small letters of ASCII into capitals."""
    return re.sub("[a-z]", lambda found: found[0].upper(), value)


def quote(value: str) -> str:
    """Put a text in double quotes."""
    return '"' + "".join(_QUOTES.get(char, char) for char in value) + '"'


def format_text(pattern: str, args: list[Any]) -> str:
    """Fill in a template with clauses such as %s and %d."""
    rest = iter(args)
    count = 0

    def fill(found: re.Match[str]) -> str:
        nonlocal count
        kind = found[2]
        if kind == "%":
            return "%"
        if kind is None:
            raise CelError("unexpected end of string")
        write = _CLAUSES.get(kind)
        if write is None:
            raise CelError(
                f'could not parse formatting clause: unrecognized formatting clause "{kind}"'
            )
        if count >= len(args):
            raise CelError(f"index {count} out of range")
        count += 1
        return write(next(rest), None if found[1] is None else int(found[1]))

    return template.CLAUSE.sub(fill, pattern)


def shown(value: Any) -> str:
    """Write any value as %s does."""
    if value.__class__ in (list, dict):
        return _nested(value)
    if value.__class__ is TypeValue:
        return str(value.name)
    write = _SHOWN.get(value.__class__)
    if write is None:
        raise _wrong("s", value)
    return write(value)


def _nested(value: Any) -> str:
    """Write a value within a list or a map: texts are quoted, times say what they are."""
    if value.__class__ is list:
        return f"[{', '.join(_nested(item) for item in value)}]"
    if value.__class__ is dict:
        entries = sorted((_nested(key), _nested(item)) for key, item in value.items())
        return f"{{{', '.join(f'{key}:{item}' for key, item in entries)}}}"
    if value.__class__ is str:
        return go_quote(value)
    if value.__class__ is bytes:
        return f"b{go_quote(shown(value))}"
    if value.__class__ is float:
        special = special_text(value)
        return go_quote(special) if special else f"{value:f}"
    name = {Duration: "duration", Timestamp: "timestamp"}.get(value.__class__)
    return f'{name}("{shown(value)}")' if name else shown(value)


def _decoded(value: bytes) -> str:
    try:
        return from_bytes(value)
    except CelError as exc:
        told = f'could not convert argument "{exc}" to string'
        raise CelError(f"error during formatting: {told}") from None


_SHOWN: dict[type, Callable[[Any], str]] = {
    str: str,
    int: str,
    Uint: lambda value: str(int(value)),
    bool: lambda value: "true" if value else "false",
    float: double_text,
    bytes: _decoded,
    type(None): lambda value: "null",
    Duration: clock.duration_text,
    Timestamp: clock.time_text,
}
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


_ENDLESS = {"NaN": "NaN", "+Inf": "∞", "-Inf": "-∞", "Infinity": "∞", "-Infinity": "-∞"}


def _double(clause: str, value: Any) -> float | str:
    """Give a number, or the text of one that is none; so may a text say."""
    if value.__class__ is float:
        return _ENDLESS.get(special_text(value), value)
    if value.__class__ is str and value in ("NaN", "Infinity", "-Infinity"):
        return _ENDLESS[value]
    raise _wrong(clause, value)


def _wrong(clause: str, value: Any) -> CelError:
    return CelError(template.wrong_type(clause, type_name(value)))


def _decimal(value: Any, precision: int | None) -> str:
    if isinstance(value, int) and value.__class__ is not bool:
        return str(int(value))
    raise _wrong("d", value)


def _fixed(value: Any, precision: int | None) -> str:
    number = _double("f", value)
    if isinstance(number, str):
        return number
    return f"{number:,.{6 if precision is None else precision}f}"


def _scientific(value: Any, precision: int | None) -> str:
    number = _double("e", value)
    if isinstance(number, str):
        return number
    digits, _, power = f"{number:.6e}".partition("e")
    return f"{digits}\u00d710{power.removeprefix('+').translate(_SUPERSCRIPTS)}"


def _binary(value: Any, precision: int | None) -> str:
    if not isinstance(value, int):
        raise _wrong("b", value)
    return f"{int(value):b}"


def _octal(value: Any, precision: int | None) -> str:
    if not isinstance(value, int) or value.__class__ is bool:
        raise _wrong("o", value)
    return f"{int(value):o}"


def _hex(value: Any, precision: int | None) -> str:
    if isinstance(value, int) and value.__class__ is not bool:
        return f"{int(value):x}"
    if isinstance(value, str):
        return value.encode().hex()
    if isinstance(value, bytes):
        return value.hex()
    raise _wrong("x", value)


_CLAUSES: dict[str, Callable[[Any, int | None], str]] = {
    "s": lambda value, precision: shown(value),
    "d": _decimal,
    "f": _fixed,
    "e": _scientific,
    "b": _binary,
    "o": _octal,
    "x": _hex,
    "X": lambda value, precision: _hex(value, precision).upper(),
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "contains": _method(lambda value, part: part in value),
    "startsWith": _method(str.startswith),
    "endsWith": _method(str.endswith),
    "matches": matches,
    "find": find,
    "findAll": find_all,
    "charAt": char_at,
    "lowerAscii": lower_ascii,
    "upperAscii": upper_ascii,
    "replace": replace,
    "split": split,
    "substring": substring,
    "trim": lambda value: value.strip(_SPACES),
    "join": join,
    "format": format_text,
    "strings.quote": quote,
}
