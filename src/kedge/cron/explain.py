"""Schedules in plain English."""

from typing import TYPE_CHECKING

from kedge.cron.days import Days
from kedge.cron.fields import HOUR, MINUTE, members

if TYPE_CHECKING:
    from kedge.cron.calendar import Calendar

FEW = 6
"""Up to so many times of day are named one by one."""
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def explain_calendar(schedule: "Calendar") -> str:
    """Say when a calendar schedule runs."""
    words = [_time(schedule.minutes, schedule.hours), _days(schedule.days)]
    sentence = " ".join(word for word in words if word)
    if schedule.zone != "UTC":
        sentence += f", on the clock of {schedule.zone}"
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
    times = [(hour, minute) for hour in members(hours) for minute in members(minutes)]
    if len(times) <= FEW:
        return "at " + _listed([f"{hour:02}:{minute:02}" for hour, minute in times])
    rhythm = _rhythm(minutes)
    if hours == HOUR.full:
        return rhythm
    hour_list = members(hours)
    if rhythm == "every minute" and len(hour_list) == 1:
        return f"every minute from {_clock(times[0])} to {_clock(times[-1])}"
    return f"{rhythm} during the hours {_ranges(hour_list, [f'{h:02}' for h in range(24)])}"


def _rhythm(minutes: int) -> str:
    """Say at which minutes of an hour."""
    listed = members(minutes)
    if minutes == MINUTE.full:
        return "every minute"
    if len(listed) == 1:
        return "every hour, on the hour" if listed == [0] else f"every hour, at minute {listed[0]}"
    step = listed[1] - listed[0]
    if 60 % step == 0 and listed == list(range(listed[0] % step, 60, step)):
        start = f", from minute {listed[0]} of the hour on" if listed[0] else ""
        return f"every {step} minutes{start}"
    return f"at minutes {_ranges(listed, [str(n) for n in range(60)])} of every hour"


def _days(days: Days) -> str:
    """Say on which days."""
    rows, columns, months = days.parts()
    named = _ranges([number - 1 for number in members(months)], MONTHS)
    where = "" if months.bit_count() == 12 else named
    on_rows = _ranges(members(rows), [_ordinal(number) for number in range(32)])
    on_columns = _ranges(members(columns), WEEKDAYS)
    if rows:
        text = f"on the {on_rows} of {where or 'the month'}"
        return f"{text}, and on every {on_columns}{' there' if where else ''}" if columns else text
    text = f"on {on_columns}" if columns else "every day" if where else ""
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


def _clock(time: tuple[int, int]) -> str:
    return f"{time[0]:02}:{time[1]:02}"
