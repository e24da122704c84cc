"""Durations as the original reads them behind `@every`, in whole seconds."""

from kedge.cron.errors import CronError

NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,  # micro sign
    "\u03bcs": 10**3,  # Greek mu: both are in use
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
LONGEST = (1 << 63) - 1
"""The most nanoseconds that the original can hold: some 292 years."""


def parse_seconds(text: str, position: int) -> int:
    """Read a duration such as `1h30m`, rounded down to seconds and at least one.

    Raises CronError when it is not a duration or not positive.
    """
    total = _nanoseconds(text)
    if total is None:
        reason = "not a duration; write it as 90s, 15m or 1h30m"
    elif total > LONGEST:
        reason = "longer than 292 years"
    elif total <= 0:
        reason = "the duration must be positive"
    else:
        return max(1, total // 10**9)
    raise CronError(reason, field="@every", piece=text, position=position)


def seconds_text(seconds: int) -> str:
    """Write whole seconds as briefly as can be: `90m`, `1h1s`, `45s`."""
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    ways = (
        ((hour, "h"), (minute, "m"), (second, "s")),
        ((hour, "h"), (seconds - 3600 * hour, "s")),
        ((minutes, "m"), (second, "s")),
        ((seconds, "s"),),
    )
    return min(("".join(f"{n}{unit}" for n, unit in way if n) for way in ways), key=len)


def _nanoseconds(text: str) -> int | None:
    """Return the nanoseconds that a text says, or None when it says nothing."""
    import re  # costs as much as the rest of the package; few schedules need it

    unsigned = text[1:] if text[:1] in ("+", "-") else text
    if unsigned == "0":
        return 0
    term = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^0-9.]+)")
    total = end = 0
    while end < len(unsigned) and total <= LONGEST:
        found = term.match(unsigned, end)
        if not found or not (found[1] or found[2]) or found[3] not in NANOSECONDS:
            return None
        total += _scaled(found[1], found[2] or "", NANOSECONDS[found[3]])
        end = found.end()
    if not unsigned:
        return None
    return -total if text[0] == "-" else total


def _scaled(whole: str, fraction: str, unit: int) -> int:
    """Return whole.fraction times the unit, the fraction rounded as the original does."""
    whole = whole.lstrip("0")
    if len(whole) > len(str(LONGEST)):
        return LONGEST + 1
    kept = fraction[:18]  # what fits into 63 bits; the original drops further digits
    part = int(float(kept) * (unit / 10.0 ** len(kept))) if kept else 0
    return int(whole or "0") * unit + part
