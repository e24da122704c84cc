"""Sets of characters as Go's regular expressions name them: POSIX, Perl and Unicode classes."""

import unicodedata
from collections.abc import Callable, Iterable
from functools import cache

Ranges = tuple[tuple[int, int], ...]

MAX_RUNE = 0x10FFFF
_FOLD_LIMIT = 3000  # wider ranges hold both cases of nearly all they touch

_LOWER, _UPPER, _DIGIT = (0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39)
_WORD: Ranges = (_DIGIT, _UPPER, (0x5F, 0x5F), _LOWER)
_PERL_SPACE: Ranges = ((9, 10), (12, 13), (32, 32))

PERL: dict[str, Ranges] = {"d": (_DIGIT,), "s": _PERL_SPACE, "w": _WORD}
POSIX: dict[str, Ranges] = {
    "alnum": (_DIGIT, _UPPER, _LOWER),
    "alpha": (_UPPER, _LOWER),
    "ascii": ((0, 0x7F),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "digit": (_DIGIT,),
    "graph": ((0x21, 0x7E),),
    "lower": (_LOWER,),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((9, 13), (32, 32)),
    "upper": (_UPPER,),
    "word": _WORD,
    "xdigit": (_DIGIT, (0x41, 0x46), (0x61, 0x66)),
}
# Python knows no scripts; the names of characters begin with that of their script.
_SCRIPTS = {
    "Arabic": "ARABIC ",
    "Armenian": "ARMENIAN ",
    "Bengali": "BENGALI ",
    "Cyrillic": "CYRILLIC ",
    "Devanagari": "DEVANAGARI ",
    "Georgian": "GEORGIAN ",
    "Greek": "GREEK ",
    "Han": "CJK UNIFIED IDEOGRAPH",
    "Hangul": "HANGUL ",
    "Hebrew": "HEBREW ",
    "Hiragana": "HIRAGANA ",
    "Katakana": "KATAKANA ",
    "Latin": "LATIN ",
    "Thai": "THAI ",
}
_CATEGORIES = frozenset(
    [
        "C",
        "Cc",
        "Cf",
        "Cn",
        "Co",
        "Cs",
        "L",
        "Ll",
        "Lm",
        "Lo",
        "Lt",
        "Lu",
        "M",
        "Mc",
        "Me",
        "Mn",
        "N",
        "Nd",
        "Nl",
        "No",
        "P",
        "Pc",
        "Pd",
        "Pe",
        "Pf",
        "Pi",
        "Po",
        "Ps",
        "S",
        "Sc",
        "Sk",
        "Sm",
        "So",
        "Z",
        "Zl",
        "Zp",
        "Zs",
    ]
)


def clean(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Put ranges in order, joined where they touch."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return tuple(found)


def negate(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Give all characters but these."""
    found, at = [], 0
    for low, high in clean(ranges):
        if low > at:
            found.append((at, low - 1))
        at = high + 1
    if at <= MAX_RUNE:
        found.append((at, MAX_RUNE))
    return tuple(found)


def fold(ranges: Ranges) -> Ranges:
    """Add the other cases of characters."""
    found = list(ranges)
    for low, high in ranges:
        for code in range(low, min(high, low + _FOLD_LIMIT) + 1):
            found += [(ord(other), ord(other)) for other in _cases(chr(code))]
    return clean(found)


def _cases(char: str) -> set[str]:
    others = {char.lower(), char.upper(), char.swapcase(), char.casefold(), char.title()}
    if char in "kK\u212a":
        others |= set("kK\u212a")
    if char in "sS\u017f":
        others |= set("sS\u017f")
    return {other for other in others if len(other) == 1}


@cache
def unicode_class(name: str) -> Ranges | None:
    """Give the characters of a category or a script; None if the name is neither."""
    if name == "Any":
        return ((0, MAX_RUNE),)
    if name in _CATEGORIES:
        return _collect(lambda char: unicodedata.category(char).startswith(name))
    prefix = _SCRIPTS.get(name)
    if prefix is None:
        return None
    return _collect(lambda char: unicodedata.name(char, "").startswith(prefix))


def _collect(belongs: Callable[[str], bool]) -> Ranges:
    found: list[tuple[int, int]] = []
    for code in range(MAX_RUNE + 1):
        if belongs(chr(code)):
            if found and found[-1][1] == code - 1:
                found[-1] = found[-1][0], code
            else:
                found.append((code, code))
    return tuple(found)
