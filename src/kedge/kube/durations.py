"""Durations as Go reads them: `1h30m`, `1.5s`, `-2us`."""

import re
from typing import Final

from kedge.kube.gotext import quote

_TERM: Final = re.compile(r"([0-9]*)(\.?)([0-9]*)([^0-9.]*)")
_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_HIGHEST: Final = (1 << 63) - 1


def duration_problem(text: str) -> str:
    """Say why a text is not a duration, in Go's words; empty if it is one."""
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return ""
    bad = f"time: invalid duration {quote(text)}"
    total, at = 0, 0
    while at < len(rest):
        term = _TERM.match(rest, at)
        if not term or not (term[1] or term[3]):
            return bad
        if not term[4]:
            return f"time: missing unit in duration {quote(text)}"
        unit = _UNITS.get(term[4])
        if unit is None:
            return f"time: unknown unit {quote(term[4])} in duration {quote(text)}"
        total += int(term[1] or "0") * unit
        if total > _HIGHEST:
            return bad
        at = term.end()
    return "" if rest else bad
