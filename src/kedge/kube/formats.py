"""Checks of texts that are not names of objects: ports, variables, headers, percents, identifiers.

Like those in `names`, every check gives the list of what is wrong.
"""

import re
from typing import Final

from kedge.kube.names import EMPTY, max_length, pattern_rule

PORT_NAME_LIMIT: Final = 15  # RFC 6335

_IDENTIFIER: Final = "[A-Za-z_][A-Za-z0-9_]*"
_HEADER: Final = "[-A-Za-z0-9]+"
_PERCENT: Final = "[0-9]+%"


def identifier(value: str) -> list[str]:
    """Check an identifier of C."""
    if re.fullmatch(_IDENTIFIER, value):
        return []
    rule = (
        "a valid C identifier must start with alphabetic character or '_', "
        "followed by a string of alphanumeric characters or '_'"
    )
    return [pattern_rule(rule, _IDENTIFIER, "my_name", "MY_NAME", "MyName")]


def header_name(value: str) -> list[str]:
    """Check the name of an HTTP header."""
    if re.fullmatch(_HEADER, value):
        return []
    rule = "a valid HTTP header must consist of alphanumeric characters or '-'"
    return [pattern_rule(rule, _HEADER, "X-Header-Name")]


def percent(value: str) -> list[str]:
    """Check a percentage as text."""
    if re.fullmatch(_PERCENT, value):
        return []
    rule = "a valid percent string must be a numeric string followed by an ending '%'"
    return [pattern_rule(rule, _PERCENT, "1%", "93%")]


def relaxed_environment_name(value: str) -> list[str]:
    """Check the name of an environment variable by the rule for pods since 1.34."""
    if not value:
        return [f"environment variable name {EMPTY}"]
    if value.isascii() and value.isprintable() and "=" not in value:
        return []
    return [
        "a valid environment variable name must consist only of printable ASCII characters "
        "other than '='"
    ]


def port_name(value: str) -> list[str]:
    """Check the name of a port."""
    problems = []
    if len(value.encode()) > PORT_NAME_LIMIT:
        problems.append(max_length(PORT_NAME_LIMIT))
    if not re.fullmatch("[-a-z0-9]+", value):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", value):
        problems.append("must contain at least one letter (a-z)")
    if "--" in value:
        problems.append("must not contain consecutive hyphens")
    if value.startswith("-") or value.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems
