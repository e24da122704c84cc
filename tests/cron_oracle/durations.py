"""Go durations, for `@every`."""

import re
from fractions import Fraction

from tests.cron_oracle.refused import Refused

UNITS = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
PART = re.compile("([0-9]*)(?:[.]([0-9]*))?([^0-9.]+)")
LONGEST = 2**63 - 1  # nanoseconds


def nanoseconds(text: str) -> int:
    """Read what Go's time.ParseDuration reads, or raise Refused."""
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0
    total, at = Fraction(0), 0
    while at < len(rest):
        part = PART.match(rest, at)
        if part is None or not (part[1] or part[2]) or part[3] not in UNITS:
            raise Refused(f"not a duration: {text!r}")
        if len(part[1].lstrip("0")) > 19:
            raise Refused(f"too long: {text!r}")
        value = Fraction(int(part[1].lstrip("0") or 0))
        if part[2]:
            value += Fraction(int(part[2][:40]), 10 ** len(part[2][:40]))
        total += int(value * UNITS[part[3]])
        at = part.end()
    if not rest or total > LONGEST:
        raise Refused(f"not a duration: {text!r}")
    return sign * int(total)


def every_seconds(text: str) -> int:
    """Read the period of `@every`: whole seconds, at least one."""
    period = nanoseconds(text)
    if period <= 0:
        raise Refused(f"not a positive duration: {text!r}")
    return max(1, period // 10**9)
