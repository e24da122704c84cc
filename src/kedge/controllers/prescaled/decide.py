"""What is to be done for a PreScaledCronJob now. Pure: no clock, no I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from kedge.api.prescaled.kind import PreScaledCronJob
from kedge.controllers.prescaled.children import rolling_child, static_children
from kedge.controllers.prescaled.heads import Child
from kedge.controllers.prescaled.plan import (
    ALLOW,
    Plan,
    Rolling,
    Static,
    child_name,
    is_suspended,
    policy_of,
)
from kedge.controllers.prescaled.rolling import rest, roll, state_of
from kedge.controllers.prescaled.runs import Occurrence
from kedge.kube.kind import Object

FORBID: Final = "Forbid"


@dataclass(frozen=True, slots=True)
class Course:
    """What CronJobs there are to be, and which Jobs they owe."""

    children: tuple[Object, ...]
    starts: tuple[Occurrence, ...] = ()
    """To be started at once, in the stead of the first of the CronJobs."""
    replaced: tuple[str, ...] = ()
    """Jobs that make way for them."""
    missed: int = 0
    wake: datetime | None = None
    """When to look again for the sake of the CronJobs; None: they need nobody."""


def decide(
    obj: PreScaledCronJob, plan: Plan, known: Mapping[str, Child], image: str, now: datetime
) -> Course:
    """Say what is to be done; `known` are the CronJobs that are ours, by name."""
    if isinstance(plan, Static):
        return Course(tuple(static_children(obj, plan, image)))
    return _roll(obj, plan, known.get(child_name(obj.metadata.name)), image, now)


def _roll(
    obj: PreScaledCronJob, plan: Rolling, child: Child | None, image: str, now: datetime
) -> Course:
    state = state_of(obj, plan, child, now)
    if is_suspended(obj):
        resting = rest(plan, state)
        return Course((rolling_child(obj, plan, image, resting),) if resting else ())
    rolled = roll(plan, state, now)
    pointing = rolled.pointing
    if pointing is None:
        return Course(())
    if child is None:
        # First there is a CronJob, to which the Jobs can belong; then it is asked what it owes.
        pointing = replace(pointing, served=state.served)
        return Course((rolling_child(obj, plan, image, pointing),), wake=rolled.wake)
    starts, replaced = _owed(rolled.starts, child, policy_of(obj))
    started = starts[-1].warm_up if starts else state.started
    made = rolling_child(obj, plan, image, replace(pointing, started=started))
    # What passed while it was suspended was not missed.
    missed = 0 if child.spec.suspend else rolled.missed
    return Course((made,), starts, replaced, missed, rolled.wake)


def _owed(
    starts: tuple[Occurrence, ...], child: Child, policy: str
) -> tuple[tuple[Occurrence, ...], tuple[str, ...]]:
    """Say which starts take place as the policy has it, and which Jobs make way for them."""
    if policy == ALLOW or not starts:
        return starts, ()
    if policy == FORBID and child.active:
        return (), ()
    return starts[-1:], tuple(child.active)
