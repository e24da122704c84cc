"""Adds all controllers to an operator, but for those that are disabled."""

from contextlib import AsyncExitStack
from dataclasses import replace

from kedge.cli.operator.engine import Making, add_engine
from kedge.cli.operator.settings import OperatorSettings
from kedge.controllers.prescaled import controller as prescaled
from kedge.controllers.prescaled.metrics import PrescaledMetrics
from kedge.controllers.schedule import controller as schedule
from kedge.controllers.schedule.metrics import ScheduleMetrics


async def add_all(stack: AsyncExitStack, making: Making, settings: OperatorSettings) -> None:
    """Add them; what they hold is let go of with the stack."""
    if schedule.NAME not in settings.disabled:
        _add_schedules(making, settings)
    await add_engine(stack, making, settings)
    if prescaled.NAME not in settings.disabled:
        counts = PrescaledMetrics()
        making.register(counts)
        prescaled.add_to(*making.first, settings.prescaled, counts)


def _add_schedules(making: Making, settings: OperatorSettings) -> None:
    schedules = replace(settings.schedules, namespace=settings.namespace)
    numbers = ScheduleMetrics()
    making.register(numbers)
    schedule.add_to(*making.first, schedules, numbers)
