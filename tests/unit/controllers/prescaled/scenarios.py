"""The cases that primed schedules are known for, by name, as PreScaledCronJobs."""

from dataclasses import dataclass, field
from typing import Any

ALL_YEARS = 10


@dataclass(frozen=True)
class Scenario:
    """A schedule, a lead, and what is to come of it."""

    schedule: str
    lead: int
    expressions: tuple[str, ...] = ()
    """Of the CronJobs; none: it is rolling."""
    zone: str = "UTC"
    more: dict[str, Any] = field(default_factory=dict)
    is_dense: bool = False
    """It has thousands of starts a year: ten years of it take some seconds."""

    def years(self, most: int) -> int:
        """Say how many years are simulated where other cases have so many; ten are for all."""
        return 1 if self.is_dense and most < ALL_YEARS else most


SCENARIOS = {
    "half past, 10 minutes ahead": Scenario("30 * * * *", 10, ("20 * * * *",)),
    "the full hour, 10 minutes ahead": Scenario("0 * * * *", 10, ("50 * * * *",)),
    "midnight, 10 minutes ahead": Scenario("0 0 * * *", 10, ("50 23 * * *",)),
    "steps from a number": Scenario("0/30 * * * *", 10, ("20,50 * * * *",)),
    "steps from a star": Scenario("*/30 * * * *", 10, ("20,50 * * * *",)),
    "a range of minutes": Scenario("0-5 * * * *", 10, ("50-55 * * * *",)),
    "a range of hours": Scenario("0 14-16 * * *", 10, ("50 13-15 * * *",)),
    "a weekday that moves": Scenario("0 0 * * 5", 10, ("50 23 * * 4",)),
    "two expressions": Scenario("0-15 0 * * *", 10, ("50-59 23 * * *", "0-5 0 * * *")),
    "month ends": Scenario("0 0 1 * *", 10),
    "quarter hours of the first": Scenario("0/15 * 1 * *", 10),
    "four minutes on Fridays": Scenario(
        "5,12,48,56 * * * 5", 10, ("55 23 * * 4", "2,38,46 * * * 5", "55 0-22 * * 5")
    ),
    "a lead beyond minute + 60": Scenario("30 5 * * *", 100, ("50 3 * * *",)),
    "a lead of an hour": Scenario("0 0 * * *", 60, ("0 23 * * *",)),
    "a lead of a day": Scenario("0 0 * * 1", 1440, ("0 0 * * 0",)),
    "@hourly": Scenario("@hourly", 10, ("50 * * * *",)),
    "@every 90m": Scenario("@every 90m", 10, is_dense=True),
    "working days in Amsterdam": Scenario(
        "CRON_TZ=Europe/Amsterdam 0 8 * * 1-5", 10, ("50 7 * * 1-5",), "Europe/Amsterdam"
    ),
}
"""The eighteen of the table."""
MORE = {
    "every minute of an hour": Scenario("* 0 * * *", 5, ("55-59 23 * * *", "0-54 0 * * *")),
    "a time zone of its own": Scenario(
        "0 8 * * 1-5", 10, ("50 7 * * 1-5",), "Europe/Amsterdam", {"timeZone": "Europe/Amsterdam"}
    ),
    "a change of clocks in between": Scenario(
        "5 2 * * *", 10, more={"timeZone": "Europe/Amsterdam"}
    ),
    "two expressions that must not overlap": Scenario(
        "0-15 0 * * *", 10, more={"concurrencyPolicy": "Forbid"}, is_dense=True
    ),
    "a leap day": Scenario("0 0 29 2 *", 10),
    "a week ahead of a leap day": Scenario("0 0 29 2 *", 10080),
    "the first of March": Scenario("0 0 1 3 *", 10),
    "no lead": Scenario("15 6 * * *", 0, ("15 6 * * *",)),
    "no lead at all times": Scenario("* * * * *", 0, ("* * * * *",), is_dense=True),
    "no lead before @every": Scenario("@every 6h", 0, is_dense=True),
    "a week ahead": Scenario("0 0 8 1 *", 10080, ("0 0 1 1 *",)),
}
NEVER_COLD = {
    "every minute": Scenario("* * * * *", 10),
    "each hour, an hour ahead": Scenario("0 * * * *", 60),
    "@every as long as the lead": Scenario("@every 90m", 90),
}
