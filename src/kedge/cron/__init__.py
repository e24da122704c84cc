"""Cron expressions: text to Schedule to instants, and back.

Pure: no I/O but the zone data of the `tzdata` package, no clock, no asyncio.
"""

from kedge.cron.errors import CronError
from kedge.cron.parser import parse
from kedge.cron.plan import Plan, prime
from kedge.cron.schedule import Schedule

__all__ = ["CronError", "Plan", "Schedule", "parse", "prime"]
