"""Priming: when to start so that something is ready at every run."""

from datetime import datetime, timedelta

from kedge.cron.calendar import Calendar
from kedge.cron.duration import seconds_text
from kedge.cron.errors import CronError
from kedge.cron.every import Every
from kedge.cron.fields import members
from kedge.cron.schedule import Schedule

MINUTE = timedelta(minutes=1)
SHORTEST, LONGEST = MINUTE, timedelta(days=7)


class Plan:
    """When to warm up: as expressions that say it exactly, or one occurrence at a time."""

    __slots__ = ("expressions", "lead", "schedule")

    def __init__(self, schedule: Schedule, lead: timedelta, expressions: tuple[str, ...]) -> None:
        self.schedule = schedule
        self.lead = lead
        self.expressions = expressions
        """Five-field texts, to be read in the zone under the policy `wall`; none when rolling."""

    @property
    def mode(self) -> str:
        """`static` when the expressions say it all, `rolling` when none could."""
        return "static" if self.expressions else "rolling"

    @property
    def zone(self) -> str:
        """The zone in which to read the expressions."""
        return self.schedule.zone

    def next(self, after: datetime) -> datetime | None:
        """Return the first warm-up strictly after an instant, in UTC."""
        try:
            run = self.schedule.next(after + self.lead)
        except OverflowError:
            return None
        return None if run is None else run - self.lead

    def __repr__(self) -> str:
        return f"<Plan {self.lead} before {self.schedule}: {self.mode} {list(self.expressions)}>"


def prime(schedule: Schedule, lead: timedelta) -> Plan:
    """Plan a start exactly `lead` before every run of a schedule, and at no other time.

    Raises CronError when the lead is not whole minutes from one minute to seven days, and when
    no two runs are further apart than it: then nothing would ever be cold.
    """
    if not SHORTEST <= lead <= LONGEST or lead % MINUTE:
        raise _refusal("a lead is whole minutes, from 1m to 7d", lead)
    if not isinstance(schedule, Calendar | Every):
        raise TypeError("a schedule that kedge.cron.parse made is needed")
    from kedge.cron.cold import has_longer_gap  # here, so that who does not prime does not pay

    if not has_longer_gap(schedule, lead):
        raise _refusal(
            f"{schedule} runs again within that time after every run, so nothing would ever be"
            " cold; use a shorter lead, or keep it warm all the time",
            lead,
        )
    if isinstance(schedule, Every):
        return Plan(schedule, lead, ())
    return Plan(schedule, lead, _expressions(schedule, lead // MINUTE))


def _expressions(schedule: Calendar, lead: int) -> tuple[str, ...]:
    """Return the expressions that say it exactly, the earliest of a day first, or none."""
    from kedge.cron.boxes import fewest_boxes
    from kedge.cron.plainly import shifted_plainly
    from kedge.cron.shift import shifted

    plainly = shifted_plainly(schedule, lead)
    if plainly:
        return (plainly,)
    found = shifted(schedule, lead)
    if found is None:
        return ()
    wrapped = 1440 - lead % 1440  # from this minute on, warm-ups are for runs after midnight

    def earliest(item: tuple[tuple[int, int, int, object], str]) -> tuple[int, int, str]:
        (minutes, hours, months, _), text = item
        times = (60 * hour + minute for hour in members(hours) for minute in members(minutes))
        return min(time - 1440 * (time >= wrapped) for time in times), members(months)[0], text

    return tuple(text for _, text in sorted(fewest_boxes(found), key=earliest))


def _refusal(reason: str, lead: timedelta) -> CronError:
    return CronError(reason, field="lead", piece=_lead_text(lead))


def _lead_text(lead: timedelta) -> str:
    seconds = lead // timedelta(seconds=1)
    whole = seconds > 0 and lead == timedelta(seconds=seconds)
    return seconds_text(seconds) if whole else str(lead)
