"""What `kedge warmup` is asked for: its options, read without a library for options."""

from collections.abc import Mapping
from datetime import timedelta

from kedge.cli.durations import GOOD_FORMS, parse_duration, span

LONGEST = timedelta(days=7)
MINUTE = timedelta(minutes=1)
JOB, LEAD, SCHEDULE, ZONE = "--job-name", "--lead", "--schedule", "--zone"
OPTIONS = {
    JOB: (
        "NAME",
        "Name of the pod's Job: a CronJob puts the minute into it.  [default: $KEDGE_JOB_NAME]",
    ),
    LEAD: ("LEAD", "How long the run is after that minute: 10 (minutes), 10m, 1h30m, 2d, 1d12h."),
    SCHEDULE: ("EXPR", "When the runs are, for a Job whose name tells no minute."),
    ZONE: ("ZONE", "Time zone where EXPR names none, such as Europe/Amsterdam.  [default: UTC]"),
}
"""Each with what its value is called, and the line that help shows."""


class Mistake(Exception):
    """An option or a variable that can not be: which one, and what is wrong with it."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(problem)
        self.name = name


class Asked:
    """What is to be waited for."""

    __slots__ = ("job", "job_from", "lead", "schedule", "zone")

    def __init__(self, given: Mapping[str, str], environ: Mapping[str, str]) -> None:
        """Read the options; Mistake where one can not be."""
        self.job = given.get(JOB) or environ.get("KEDGE_JOB_NAME") or ""
        self.job_from = JOB if given.get(JOB) else "KEDGE_JOB_NAME"
        self.lead = _lead(given[LEAD]) if LEAD in given else None
        """None: the minute of the job's name says nothing of the run but that it is later."""
        self.schedule = given.get(SCHEDULE) or ""
        self.zone = given.get(ZONE) or ""
        if self.lead is None and not self.schedule:
            raise Mistake(LEAD, f"it is missing, and so is {SCHEDULE}: no run is known")


def plain_options(args: list[str]) -> dict[str, str] | None:
    """Read `--name value` and `--name=value`; None for any other words, such as --help."""
    found = {}
    rest = iter(args)
    for arg in rest:
        name, equals, value = arg.partition("=")
        following = value if equals else next(rest, None)
        if name not in OPTIONS or following is None:
            return None
        found[name] = following
    return found


def _lead(text: str) -> timedelta:
    lead = parse_duration(text)
    if lead is None:
        raise Mistake(LEAD, f"{text!r} is not a duration; write it as {GOOD_FORMS}")
    if lead > LONGEST:
        raise Mistake(LEAD, f"{text!r} is {span(lead, units=4)}; a lead is 7d at most")
    if lead % MINUTE:
        raise Mistake(LEAD, f"{text!r} has seconds; a lead is whole minutes")
    return lead
