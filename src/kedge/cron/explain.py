"""Schedules in plain English."""

from kedge.cron.days import Days
from kedge.cron.fields import HOUR, MONTH, members

FEW = 6
"""Up to so many times of day are named one by one."""
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def explain_calendar(minutes: int, hours: int, matching: Days, zone: str) -> str:
    """Say when a calendar schedule runs."""
    time, days = _time(minutes, hours), _days(matching)
    comma = "," if days and ("," in time or days.startswith("every")) else ""
    sentence = f"{time}{comma} {days}".rstrip()
    if zone != "UTC":
        sentence += f", on the clock of {zone}"
    return f"{sentence[0].upper()}{sentence[1:]}."


def explain_every(seconds: int) -> str:
    """Say how long an interval is."""
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    parts = [
        f"{number} {unit}{'s' if number > 1 else ''}"
        for number, unit in ((hour, "hour"), (minute, "minute"), (second, "second"))
        if number
    ]
    return f"Every {_listed(parts)}, counted from the previous run."


def _time(minutes: int, hours: int) -> str:
    """Say at which times of the day."""
    past, during = members(minutes), members(hours)
    if len(past) * len(during) <= FEW:
        return "at " + _listed([_clock(hour, minute) for hour in during for minute in past])
    first, last = _clock(during[0], past[0]), _clock(during[-1], past[-1])
    beat = _beat(past)
    if hours == HOUR.full and beat:
        return _every(beat, past[0])
    if beat and len(during) == during[-1] - during[0] + 1:
        return f"{_every(beat, 0, hourly='')} from {first} to {last}"
    if len(during) == 1 and len(past) == past[-1] - past[0] + 1:
        return f"every minute from {first} to {last}"
    minute = "minutes" if len(past) > 1 else "minute"
    shown = f"at {minute} {_ranges(past, [str(n) for n in range(60)])}"
    hour = "hours" if len(during) > 1 else "hour"
    named = _ranges(during, [f"{number:02}" for number in range(24)])
    return f"{shown} of {'every hour' if hours == HOUR.full else f'the {hour} {named}'}"


def _beat(past: list[int]) -> int:
    """Return how many minutes lie between two runs if the rhythm goes on over the hour, or 0."""
    step = past[1] - past[0] if len(past) > 1 else 60
    return step if 60 % step == 0 and past == list(range(past[0] % step, 60, step)) else 0


def _every(beat: int, start: int, hourly: str = ", on the hour") -> str:
    if beat == 60:
        return f"every hour, at minute {start}" if start else f"every hour{hourly}"
    unit = "minute" if beat == 1 else f"{beat} minutes"
    return f"every {unit}, from minute {start} of the hour on" if start else f"every {unit}"


def _days(days: Days) -> str:
    """Say on which days."""
    rows, columns, months = days.parts()
    where = _ranges([number - 1 for number in members(months)], MONTHS)
    if months == MONTH.full:
        where = ""
    weekdays = _ranges(members(columns), WEEKDAYS)
    if rows:
        text = f"on the {_ranges(members(rows), [_ordinal(number) for number in range(32)])}"
        text += f" of {where or 'the month'}"
        if columns:
            text += f" and on every {weekdays}" + (f" of {where}" if where else "")
        return text
    text = f"on {weekdays}" if columns else "every day" if where else ""
    return f"{text} in {where}" if where else text


def _ranges(numbers: list[int], names: list[str] | tuple[str, ...]) -> str:
    """List numbers by name, runs of three and more as `a to b`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words: list[str] = []
    for run in runs:
        if len(run) > 2:
            words.append(f"{names[run[0]]} to {names[run[-1]]}")
        else:
            words.extend(names[number] for number in run)
    return _listed(words)


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 != 1 else 0, "th")
    return f"{number}{ending}"


def _clock(hour: int, minute: int) -> str:
    return f"{hour:02}:{minute:02}"
