"""What is to be done for a PreScaledCronJob now. Pure: no clock, no I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kedge.api.prescaled.kind import PreScaledCronJob
from kedge.controllers.prescaled.children import rolling_child, static_children
from kedge.controllers.prescaled.heads import Child
from kedge.controllers.prescaled.plan import Plan, Rolling, Static, child_name, is_suspended
from kedge.controllers.prescaled.rolling import rest, roll, state_of
from kedge.controllers.prescaled.runs import Occurrence
from kedge.kube.kind import Object


@dataclass(frozen=True, slots=True)
class Course:
    """What CronJobs there are to be, and which Jobs they owe."""

    children: tuple[Object, ...]
    starts: tuple[Occurrence, ...] = ()
    """To be started at once, in the stead of the first of the CronJobs."""
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
    if rolled.pointing is None:
        return Course((), wake=rolled.wake)
    pointing = rolled.pointing
    if child is None:
        # First there is a CronJob, to which the Jobs can belong; then it is asked what it owes.
        pointing = replace(pointing, served=state.served)
        return Course((rolling_child(obj, plan, image, pointing),), wake=rolled.wake)
    missed = 0 if child.spec.suspend else rolled.missed
    made = rolling_child(obj, plan, image, pointing)
    return Course((made,), rolled.starts, missed, rolled.wake)


def owed(course: Course, child: Child, policy: str) -> tuple[Sequence[Occurrence], Sequence[str]]:
    """Say which starts take place as the policy has it, and which Jobs make way for them."""
    if not course.starts or not child.active or policy == "Allow":
        return course.starts, ()
    return (course.starts, child.active) if policy == "Replace" else ((), ())
