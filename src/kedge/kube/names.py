"""Which names, keys and label values Kubernetes takes, and what it says about the others.

Every check gives the list of what is wrong, empty if nothing is. Lengths are in bytes.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Final

NameCheck = Callable[[str, bool], list[str]]
"""Checks a name, or with True the beginning of one that gets a suffix."""

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = _LABEL + "(\\." + _LABEL + ")*"
_LABEL_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_LOOSE_LABEL: Final = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_QUALIFIED: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

LABEL_LIMIT: Final = 63
SUBDOMAIN_LIMIT: Final = 253
EMPTY: Final = "must be non-empty"


def max_length(limit: int) -> str:
    """Say how long a text may be."""
    return f"must be no more than {limit} characters"


def in_range(low: int, high: int) -> str:
    """Say between which numbers a value must lie."""
    return f"must be between {low} and {high}, inclusive"


def pattern_rule(rule: str, pattern: str, *examples: str) -> str:
    """Say a rule with its pattern and examples of what keeps it."""
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{rule} ({f'e.g. {shown}' if shown else ''}regex used for validation is '{pattern}')"


class _Rule:
    """A pattern with a length limit, and the messages for what breaks either."""

    def __init__(self, limit: int, rule: str, pattern: str, *examples: str) -> None:
        self.limit = limit
        self.matches = re.compile(pattern).fullmatch
        self.message = pattern_rule(rule, pattern, *examples)

    def check(self, value: str) -> list[str]:
        """Give what is wrong with the value."""
        problems = []
        if self.limit and size(value) > self.limit:
            problems.append(max_length(self.limit))
        if not self.matches(value):
            problems.append(self.message)
        return problems


def size(text: str) -> int:
    """Count the bytes of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


_ALNUM_ENDS: Final = "and must start and end with an alphanumeric character"
_RFC_1123_LABEL: Final = _Rule(
    LABEL_LIMIT,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    + _ALNUM_ENDS,
    _LABEL,
    "my-name",
    "123-abc",
)
_RFC_1123_SUBDOMAIN: Final = _Rule(
    SUBDOMAIN_LIMIT,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
    "'-' or '.', " + _ALNUM_ENDS,
    _SUBDOMAIN,
    "example.com",
)
_LOOSE_SUBDOMAIN: Final = _Rule(
    SUBDOMAIN_LIMIT,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
    "'_', '-' or '.', " + _ALNUM_ENDS,
    _LOOSE_LABEL + "(\\." + _LOOSE_LABEL + ")*",
    "example.com",
)
_RFC_1035_LABEL: Final = _Rule(
    LABEL_LIMIT,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character",
    _LABEL_1035,
    "my-name",
    "abc-123",
)
_WILDCARD: Final = _Rule(
    SUBDOMAIN_LIMIT,
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which "
    "must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric "
    "character",
    "\\*\\." + _SUBDOMAIN,
    "*.example.com",
)
_QUALIFIED_PART: Final = _Rule(
    LABEL_LIMIT,
    "must consist of alphanumeric characters, '-', '_' or '.', " + _ALNUM_ENDS,
    _QUALIFIED,
    "MyName",
    "my.name",
    "123-abc",
)
_LABEL_VALUE: Final = _Rule(
    LABEL_LIMIT,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    + _ALNUM_ENDS,
    f"({_QUALIFIED})?",
    "MyValue",
    "my_value",
    "12345",
)
_DATA_KEY: Final = _Rule(
    SUBDOMAIN_LIMIT,
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    "[-._a-zA-Z0-9]+",
    "key.name",
    "KEY_NAME",
    "key-name",
)


def dns_label(value: str) -> list[str]:
    """Check a label of RFC 1123: lower case, digits, hyphens, 63 bytes."""
    problems = _RFC_1123_LABEL.check(value)
    if problems and problems[-1] is _RFC_1123_LABEL.message and _RFC_1123_SUBDOMAIN.matches(value):
        problems[-1] = "must not contain dots"
    return problems


dns_subdomain = _RFC_1123_SUBDOMAIN.check
"""Check a subdomain of RFC 1123: labels with dots between them, 253 bytes."""
dns_subdomain_with_underscore = _LOOSE_SUBDOMAIN.check
dns_1035_label = _RFC_1035_LABEL.check
"""Check a label of RFC 1035, which starts with a letter."""
wildcard_subdomain = _WILDCARD.check
"""Check a subdomain behind `*.`."""
label_value = _LABEL_VALUE.check
"""Check the value of a label."""


def qualified_name(value: str) -> list[str]:
    """Check a name with an optional `prefix/`: the key of a label, a finalizer, a resource."""
    if is_qualified_name(value):
        return []
    parts = value.split("/")
    if len(parts) > 2:
        rule = f"a qualified name {_QUALIFIED_PART.message}"
        return [f"{rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    problems = []
    if len(parts) == 2:
        found = dns_subdomain(parts[0]) if parts[0] else [EMPTY]
        problems += [f"prefix part {problem}" for problem in found]
    name = parts[-1]
    found = _QUALIFIED_PART.check(name) if name else [EMPTY, _QUALIFIED_PART.message]
    return problems + [f"name part {problem}" for problem in found]


_WHOLE_QUALIFIED: Final = re.compile(
    f"(?:(?=[^/]{{1,{SUBDOMAIN_LIMIT}}}/){_SUBDOMAIN}/)?(?=[^/]{{1,{LABEL_LIMIT}}}\\Z){_QUALIFIED}"
)


@lru_cache(maxsize=4096)  # the same few keys come again and again
def _is_qualified(value: str) -> bool:
    return _WHOLE_QUALIFIED.fullmatch(value) is not None


def is_qualified_name(value: str) -> bool:
    """Tell quickly whether there is nothing wrong with a qualified name."""
    return len(value) <= SUBDOMAIN_LIMIT + 1 + LABEL_LIMIT and _is_qualified(value)


_VALUE: Final = re.compile(f"(?:{_QUALIFIED})?").fullmatch


def is_label_value(value: str) -> bool:
    """Tell quickly whether there is nothing wrong with the value of a label."""
    return len(value) <= LABEL_LIMIT and _VALUE(value) is not None


def data_key(value: str) -> list[str]:
    """Check a key of a ConfigMap or Secret."""
    return _DATA_KEY.check(value) + _parent_folder(value)


def _parent_folder(value: str) -> list[str]:
    if value in (".", ".."):
        return [f"must not be '{value}'"]
    return ["must not start with '..'"] if value.startswith("..") else []


def path_segment(name: str, prefix: bool = False) -> list[str]:
    """Check that a name (or with `prefix` its beginning) fits in a path."""
    if not prefix and name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{part}'" for part in "/%" if part in name]


def subdomain_name(name: str, prefix: bool = False) -> list[str]:
    """Check the name of an object that must be a DNS subdomain."""
    return dns_subdomain(_masked(name) if prefix else name)


def label_name(name: str, prefix: bool = False) -> list[str]:
    """Check the name of an object that must be a DNS label: a namespace."""
    return dns_label(_masked(name) if prefix else name)


def label_1035_name(name: str, prefix: bool = False) -> list[str]:
    """Check the name of an object that must be a label of RFC 1035: a service."""
    return dns_1035_label(_masked(name) if prefix else name)


def _masked(name: str) -> str:
    """Let a hyphen at the end pass, as something follows it: two bytes go, a letter comes."""
    if len(name) < 2 or not name.endswith("-"):
        return name
    return f"{name[:-2]}a" if name[-2].isascii() else name[:-1]


SUFFIX_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"  # no vowels, no look-alikes
SUFFIX_LENGTH: Final = 5


def generated_name(base: str, random: Random) -> str:
    """Draw a name that starts with `base`, cut so that the whole has 63 bytes at most."""
    suffix = "".join(random.choices(SUFFIX_ALPHABET, k=SUFFIX_LENGTH))
    if size(base) > LABEL_LIMIT - SUFFIX_LENGTH:
        base = base.encode()[: LABEL_LIMIT - SUFFIX_LENGTH].decode(errors="replace")
    return base + suffix
