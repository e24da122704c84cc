"""What is wrong with lists of namespaces, in Velero's words."""

from collections.abc import Iterator, Sequence

UNSUPPORTED = "|()!{},"
"""What some shells give a meaning to, and patterns of namespaces have none for."""
WILDCARDS = "*?[]"
_PATTERN = "wildcard pattern contains "


def check_namespaces(included: Sequence[str], excluded: Sequence[str]) -> None:
    """Refuse namespaces to include and to exclude with which something is wrong."""
    from kedge.cli.errors import Misuse

    problems = namespace_problems(included, excluded)
    if problems:
        raise Misuse(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")


def namespace_problems(included: Sequence[str], excluded: Sequence[str]) -> list[str]:
    """List what is wrong with namespaces to include and to exclude."""
    found = list(_lists(included, excluded))
    for name in (*included, *excluded):
        if name and name != "*":
            found += _names(name)
    return found


def _lists(included: Sequence[str], excluded: Sequence[str]) -> Iterator[str]:
    if "*" in included and len(included) > 1:
        yield "includes list must either contain '*' only, or a non-empty list of items"
    for name in dict.fromkeys(excluded):
        if name == "*":
            yield "excludes list cannot contain '*'"
        elif name in included:
            yield f"excludes list cannot contain an item in the includes list: {name}"


def _names(name: str) -> Iterator[str]:
    if any(one in name for one in (*WILDCARDS, *UNSUPPORTED)):
        yield from _pattern(name)
        return
    from kedge.kube.names import dns_label

    for problem in dns_label(name):
        yield f'invalid namespace "{name}": {problem}'


def _pattern(text: str) -> Iterator[str]:
    if any(one in text for one in UNSUPPORTED):
        yield f"{_PATTERN}unsupported characters: {', '.join(UNSUPPORTED)}"
    if "**" in text:
        yield f"{_PATTERN}consecutive asterisks (only single * allowed)"
    if "[]" in text:
        yield f"{_PATTERN}empty bracket pattern '[]'"
        return
    depth = 0
    for one in text:
        depth += {"[": 1, "]": -1}.get(one, 0)
        if depth < 0:
            yield f"{_PATTERN}unmatched closing bracket ']'"
            return
    if depth:
        yield f"{_PATTERN}unclosed bracket '['"
