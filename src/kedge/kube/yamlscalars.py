"""Plain scalars of YAML 1.1 as go-yaml reads them: yes is true, 010 is eight, a date is text."""

import math
import re
from enum import Enum
from typing import Any, Final

from kedge.kube.goerror import GoError


class Dialect(Enum):
    """Whose YAML it is."""

    V2 = "go-yaml v2"
    """What the Kubernetes API reads; a merged key is one like any other."""
    V3 = "go-yaml v3"
    """Only true and false are truths; a key of its own beats a merged one."""


_NEW_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
    **dict.fromkeys(["", "~", "null", "Null", "NULL"], None),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], math.nan),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], math.inf),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], -math.inf),
}
_WORDS: Final = {
    Dialect.V2: {
        **_NEW_WORDS,
        **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"], True),
        **dict.fromkeys(["n", "N", "no", "No", "NO", "off", "Off", "OFF"], False),
    },
    Dialect.V3: _NEW_WORDS,
}
_RESOLVED: Final = {"", "!!str", "!!bool", "!!int", "!!float", "!!null", "!!timestamp"}
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INTEGER: Final = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[oO]?(?P<octal>[0-7]+)|0[bB](?P<binary>[01]+)|(?P<decimal>0|[1-9][0-9]*))"
)
_BASES: Final = (("hex", 16), ("octal", 8), ("binary", 2), ("decimal", 10))
_TIMESTAMP: Final = re.compile(
    r"[0-9]{4}-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    r"(?:[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})"
    r"| [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?)?"
)
_NAMES: Final = {bool: "!!bool", int: "!!int", float: "!!float", str: "!!str", type(None): "!!null"}
_LOWEST, _HIGHEST = -(2**63), 2**64 - 1


def resolve(tag: str, text: str, dialect: Dialect = Dialect.V2) -> Any:
    """Read a scalar with this tag (`!!int`, empty if none); raises GoError if they do not fit."""
    if tag not in _RESOLVED:
        return text
    if tag == "!!str":
        return text
    value, name = _plain(text, _WORDS[dialect], dated=tag in {"", "!!timestamp"})
    if tag in {"", name}:
        return value
    if tag == "!!float" and name == "!!int":
        return float(value)
    raise GoError(f"yaml: cannot decode {name} `{text}` as a {tag}")


def _plain(text: str, words: dict[str, Any], dated: bool) -> tuple[Any, str]:
    if text in words:
        value = words[text]
        return value, _NAMES[type(value)]
    first = text[0]
    if first == ".":
        value = _float(text)
        return (text, "!!str") if value is None else (value, "!!float")
    if first not in "+-0123456789":
        return text, "!!str"
    if dated and _is_timestamp(text):
        return text, "!!timestamp"
    number = _number(text.replace("_", ""))
    return (text, "!!str") if number is None else (number, _NAMES[type(number)])


def _is_timestamp(text: str) -> bool:
    found = _TIMESTAMP.fullmatch(text)
    return found is not None and 1 <= int(found["month"]) <= 12 and 1 <= int(found["day"]) <= 31


def _number(text: str) -> int | float | None:
    if found := _INTEGER.fullmatch(text):
        name, base = next(pair for pair in _BASES if found[pair[0]])
        value = int(found["sign"] + found[name], base)
        if _LOWEST <= value <= _HIGHEST:
            return value
    return _float(text)


def _float(text: str) -> float | None:
    if not _FLOAT.fullmatch(text):
        return None
    value = float(text)
    return None if math.isinf(value) else value
