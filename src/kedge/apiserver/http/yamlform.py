"""YAML as Go writes it: which texts are quoted and how, and the order of keys."""

import re
from functools import cmp_to_key
from typing import Any, Final

import yaml

_STR: Final = "tag:yaml.org,2002:str"
_FLOATING: Final = "tag:yaml.org,2002:float"
_WHOLE: Final = "tag:yaml.org,2002:int"
_BASE: Final[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_WORDS: Final = frozenset(
    spelled
    for word in ("y", "yes", "true", "on", "n", "no", "false", "off", "null")
    for spelled in (word, word.capitalize(), word.upper())
) | {"~"}
_NUMBERS: Final = frozenset(
    f"{sign}{word}"
    for sign, word in (
        *(("", word) for word in (".nan", ".NaN", ".NAN")),
        *((sign, word) for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")),
    )
)
_INTEGER: Final = re.compile("[-+]?(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_BASE_60: Final = re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")
_DATE: Final = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"([Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})"
    r"| [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?)?"
)
UNREADABLE: Final = re.compile("[\x7f\x80-\x84\x86-\x9f]")
"""What Go's YAML reader does not take; it reads its own JSON again to make YAML of it."""


def to_yaml(value: Any) -> bytes:
    """Write a JSON value."""
    text: str = yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False)
    return text.encode()


class _Dumper(_BASE):  # type: ignore[misc]
    """Knows no anchors: what is there twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        if kind is yaml.ScalarNode and implicit == (True, False):
            if not _means_something(value):
                return _STR
            if _FLOAT.fullmatch(value) and not _INTEGER.fullmatch(value):
                return _FLOATING
        return super().resolve(kind, value, implicit)


def _text(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text else '"' if _means_something(text) else None
    return dumper.represent_scalar(_STR, text, style=style)


def _map(dumper: Any, value: dict[str, Any]) -> Any:
    names = sorted(value, key=_KEY)
    return dumper.represent_mapping(
        "tag:yaml.org,2002:map", [(name, value[name]) for name in names], flow_style=False
    )


def _list(dumper: Any, value: list[Any]) -> Any:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=False)


def _float(dumper: Any, value: float) -> Any:
    text = _shown(value)
    return dumper.represent_scalar(_WHOLE if text.lstrip("-").isdigit() else _FLOATING, text)


def _shown(value: float) -> str:
    text = f"{value!r}"
    if "e" in text:
        digits, _, power = text.partition("e")
        return f"{digits.removesuffix('.0')}e{int(power):+03d}"
    return text.removesuffix(".0")


_Dumper.add_representer(str, _text)
_Dumper.add_representer(dict, _map)
_Dumper.add_representer(list, _list)
_Dumper.add_representer(float, _float)


def _means_something(text: str) -> bool:
    """Whether a text without quotes would be read as something else."""
    if not text or text in _WORDS or text in _NUMBERS:
        return True
    if text[0] not in "+-.0123456789":
        return False
    plain = text.replace("_", "")
    return any(
        pattern.fullmatch(candidate) is not None
        for pattern, candidate in (
            (_INTEGER, plain),
            (_FLOAT, plain),
            (_BASE_60, text),
            (_DATE, text),
        )
    )


def _compare(one: str, other: str) -> int:
    """Compare keys so that numbers within them go by their value."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left == right:
            continue
        if left.isalpha() and right.isalpha():
            return -1 if left < right else 1
        if left.isalpha() or right.isalpha():
            return -1 if right.isalpha() else 1
        return _compare_numbers(one, other, place)
    return len(one) - len(other)


def _compare_numbers(one: str, other: str, place: int) -> int:
    lead = ""
    if "0" in (one[place], other[place]):
        before = re.search("[0-9]*$", one[:place])
        lead = "1" if before and before[0].strip("0") else ""
    numbers = [_leading_digits(text[place:]) for text in (one, other)]
    left, right = (int(f"0{lead}{digits}") for digits in numbers)
    if left != right:
        return -1 if left < right else 1
    if len(numbers[0]) != len(numbers[1]):
        return len(numbers[0]) - len(numbers[1])
    return -1 if one[place] < other[place] else 1


def _leading_digits(text: str) -> str:
    found = re.match("[0-9]*", text)
    return found[0] if found else ""


_KEY: Final = cmp_to_key(_compare)
