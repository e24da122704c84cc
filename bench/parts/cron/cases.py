"""What is measured: the expressions, the zones, the instants. Nothing here runs an engine."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class Chain:
    """A walk from answer to answer: where it begins, and the years it stays in."""

    start: datetime
    bound: datetime


START = datetime(2026, 1, 1, tzinfo=UTC)

# Zone files list changes up to 2037 and give a rule for later ones. Go is slow with the rule, so
# the years behind it have a table of their own: mixed, they would make the original look bad.
FAR = datetime(2038, 1, 1, tzinfo=UTC)

CHAINS = {
    "next": Chain(START, FAR),
    # robfig/cron looks five years ahead: it gives up after 29 February 2096 (2100 has none).
    "far": Chain(FAR, datetime(2097, 1, 1, tzinfo=UTC)),
    # Older zone data is where the engines' ideas of local time part.
    "prev": Chain(START, datetime(1990, 1, 1, tzinfo=UTC)),
}

# A leap year, so that every expression has an answer in it.
YEAR = (datetime(2028, 1, 1, tzinfo=UTC), datetime(2029, 1, 1, tzinfo=UTC))

# Random access: instants of these years, in an order that no cache of neighbours can use.
SPAN = (datetime(2024, 1, 1, tzinfo=UTC), datetime(2033, 1, 1, tzinfo=UTC))

LEAD = timedelta(minutes=10)

ZONES = ("UTC", "Europe/Amsterdam")

EXPRESSIONS = {
    "* * * * *": "every minute",
    "*/15 * * * *": "quarter-hourly",
    "0 * * * *": "hourly",
    "*/10 9-17 * * 1-5": "office hours",
    "0 8 * * 1-5": "weekdays at 8",
    "30 2 * * *": "daily 02:30",
    "0 3 * * 0": "weekly",
    "0 0 1,15 * 1": "1st, 15th or Monday",
    "30 4 13 * 5": "13th or Friday",
    "0 0 1 * *": "monthly",
    "0 0 1 1 *": "yearly",
    "0 0 29 2 *": "29 February",
}


@dataclass(frozen=True)
class Case:
    """One expression read in one zone."""

    expression: str
    zone: str

    @property
    def label(self) -> str:
        """Say in a few words when it fires."""
        return EXPRESSIONS[self.expression]

    def local(self, t: datetime) -> datetime:
        """Give the instant as engines want it that take the zone from the datetime."""
        return t if self.zone == "UTC" else t.astimezone(ZoneInfo(self.zone))


@dataclass(frozen=True)
class Effort:
    """How much to measure: chain lengths in answers, times in seconds.

    Chains are compared over more answers than are timed: short samples of like length and many
    of them are what a busy machine disturbs least.
    """

    compared: int
    chain: int
    repeats: int
    sample_seconds: float
    instants: int
    imports: int


FULL = Effort(compared=1500, chain=250, repeats=15, sample_seconds=0.005, instants=100, imports=25)
QUICK = Effort(compared=300, chain=60, repeats=3, sample_seconds=0.002, instants=20, imports=7)


def cases() -> list[Case]:
    """List every expression in every zone."""
    return [Case(expression, zone) for zone in ZONES for expression in EXPRESSIONS]


def scattered(count: int) -> list[datetime]:
    """Draw whole minutes all over SPAN, the same ones in every run."""
    draw = random.Random(3)  # any constant will do
    minutes = int((SPAN[1] - SPAN[0]).total_seconds()) // 60
    return [SPAN[0] + timedelta(minutes=draw.randrange(minutes)) for _ in range(count)]
