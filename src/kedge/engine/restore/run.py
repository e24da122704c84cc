"""A restore from its beginning to its end."""

import asyncio
from typing import Final

from kedge.aio.clock import Clock
from kedge.api.velero.labels import valid_name
from kedge.archive.contents import Contents
from kedge.client.client import Client
from kedge.engine.journal import Journal
from kedge.engine.restore.exec import HookRunner
from kedge.engine.restore.ledger import Ledger
from kedge.engine.restore.progress import Progress
from kedge.engine.restore.request import RestoreOutcome, RestoreRun
from kedge.engine.restore.walk import bring_back, first_of
from kedge.engine.restore.write import Writer
from kedge.kube.durations import DurationError, parse_duration

__all__ = ["Progress", "RestoreOutcome", "RestoreRun", "restore"]

ITEM_SECONDS: Final = 4 * 3600.0
"""For what goes on beside a restore, where its spec does not say."""


async def restore(
    client: Client,
    run: RestoreRun,
    contents: Contents,
    journal: Journal,
    progress: Progress,
    clock: Clock,
) -> RestoreOutcome:
    """Bring back what is selected; raises only for what makes the whole restore fail.

    That is a cluster that can not be asked any more; all else is in the journal.
    """
    hooks = HookRunner(
        client, clock, journal, run.spec.hooks, valid_name(run.name), _patience_seconds(run)
    )
    ledger = Ledger()
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(hooks.run())
            writer = Writer(client, run, hooks, journal, clock)
            await bring_back(client, run, contents, writer, ledger, journal, progress)
            hooks.finish()
    except BaseExceptionGroup as exc:
        raise first_of(exc) from None
    tally = hooks.tally
    return RestoreOutcome(ledger.items, ledger.lists(), tally.attempted, tally.failed)


def _patience_seconds(run: RestoreRun) -> float:
    try:
        given = parse_duration(run.spec.item_operation_timeout or "0").total_seconds()
    except DurationError:
        given = 0.0
    return given if given > 0 else ITEM_SECONDS
