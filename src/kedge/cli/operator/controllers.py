"""Adds all controllers to an operator, but for those that are disabled."""

from contextlib import AsyncExitStack
from dataclasses import replace

from kedge.cli.operator.engine import Making, add_engine
from kedge.cli.operator.settings import OperatorSettings
from kedge.controllers.backup import controller as backup
from kedge.controllers.nab import wiring as nab
from kedge.controllers.nab.controller import NAME as NAB
from kedge.controllers.nabgc import controller as nabgc
from kedge.controllers.nabsl import wiring as nabsl
from kedge.controllers.nabsl.controller import NAME as NABSL
from kedge.controllers.nabsync import controller as nabsync
from kedge.controllers.nadr import controller as nadr
from kedge.controllers.nar import controller as nar
from kedge.controllers.prescaled import controller as prescaled
from kedge.controllers.prescaled.metrics import PrescaledMetrics
from kedge.controllers.restore import controller as restore
from kedge.controllers.schedule import controller as schedule
from kedge.controllers.schedule.metrics import ScheduleMetrics
from kedge.selfservice.publish import Publishing


async def add_all(stack: AsyncExitStack, making: Making, settings: OperatorSettings) -> None:
    """Add them; what they hold is let go of with the stack."""
    if schedule.NAME not in settings.disabled:
        _add_schedules(making, settings)
    await add_engine(stack, making, settings)
    if prescaled.NAME not in settings.disabled:
        counts = PrescaledMetrics()
        making.register(counts)
        prescaled.add_to(*making.first, settings.prescaled, counts)
    _add_self_service(making, settings)


def _add_schedules(making: Making, settings: OperatorSettings) -> None:
    schedules = replace(settings.schedules, namespace=settings.namespace)
    numbers = ScheduleMetrics()
    making.register(numbers)
    schedule.add_to(*making.first, schedules, numbers)


def _add_self_service(making: Making, settings: OperatorSettings) -> None:
    """Add what people do in their own namespaces; the engine may be ours, or a Velero."""
    home, disabled = settings.namespace, settings.disabled
    period = settings.position_period.total_seconds()
    if NAB not in disabled:
        publishing = Publishing(period_seconds=period)
        is_other = backup.NAME in disabled
        backups = nab.NabSettings(home, publishing=publishing, other_engine=is_other)
        nab.add_to(*making.first, backups)
    if nar.NAME not in disabled:
        restores = nar.NarSettings(home, period, restarts_by_name=restore.NAME in disabled)
        nar.add_to(*making.first, restores)
    if NABSL not in disabled:
        locations = nabsl.NabslSettings(home, backup_sync_period=settings.engine.sync_period)
        nabsl.add_to(*making.first, locations)
    if nadr.NAME not in disabled:
        nadr.add_to(*making.first, nadr.NadrSettings(home))
    if nabgc.NAME not in disabled:
        nabgc.add_to(*making.first, nabgc.NabGcSettings(home))
    if nabsync.NAME not in disabled:
        nabsync.add_to(*making.first, nabsync.NabSyncSettings(home))
