"""Time `kedge.cron.prime`. No other engine has it, so there is nothing to compare with."""

import statistics
from dataclasses import dataclass

import kedge.cron
from parts.cron.cases import LEAD, Case, Effort
from parts.cron.engines import batched
from parts.cron.timing import interleaved


@dataclass(frozen=True)
class Primed:
    """What became of one schedule, and the seconds a call took (None when refused)."""

    case: Case
    outcome: str
    seconds: float | None


def measure(case: Case, effort: Effort) -> Primed:
    """Prime one schedule; a refusal is an answer too, in the words of the engine."""
    schedule = kedge.cron.parse(case.expression, zone=case.zone)
    try:
        plan = kedge.cron.prime(schedule, LEAD)
    except kedge.cron.CronError as exc:
        return Primed(case, f"refused: {exc}", None)
    task = batched(lambda: kedge.cron.prime(schedule, LEAD))
    taken = interleaved({"kedge": task}, effort.repeats, effort.sample_seconds)["kedge"]
    outcome = " and ".join(f"`{text}`" for text in plan.expressions) or "one at a time"
    return Primed(case, f"{plan.mode}: {outcome}", statistics.median(taken))
