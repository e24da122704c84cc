"""Runs one restore: reads the archive, brings objects back, and tells what came of it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from kedge.aio.clock import Clock
from kedge.aio.group import first_error
from kedge.api.velero.hook import runs_hooks
from kedge.api.velero.restore import RestorePhase
from kedge.archive.contents import Contents
from kedge.archive.errors import ArchiveError
from kedge.client import Client, ClientError
from kedge.controllers.restore.decide import Source, failed, finished, progress, typed
from kedge.controllers.restore.files import Report, download, scratch_file, upload
from kedge.controllers.restore.settings import RestoreSettings
from kedge.controllers.restore.telling import Telling
from kedge.controllers.restore.volumes import volume_warnings
from kedge.engine.journal import Journal
from kedge.engine.restore.run import Progress, RestoreOutcome, RestoreRun
from kedge.engine.storage.open import Stores
from kedge.engine.storage.store import BackupStore
from kedge.kube.errors import ApiError
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.objects.errors import ObjectsError
from kedge.runtime.held import Held, Lost
from kedge.runtime.leader import NotLeader
from kedge.selfservice.marks import NAR, is_marked
from kedge.selfservice.patience import overtime

logger = logging.getLogger(__name__)

TICK_SECONDS: Final = 1.0
"""So often progress is told, and it is looked whether the restore is still wanted."""

Wanted = Callable[[Held], str]
"""Says why a restore is not to go on; empty: it is."""
Restore = Callable[
    [Client, RestoreRun, Contents, Journal, Progress, Clock], Awaitable[RestoreOutcome]
]
"""Brings objects back: `kedge.engine.restore.run.restore`."""


class Failed(Exception):
    """The restore failed as a whole; the text is for people."""


KNOWN: Final = (ObjectsError, ApiError, ClientError, ArchiveError, OSError, Failed)
"""What goes wrong with a restore and is no fault of ours."""


@dataclass(slots=True)
class Running:
    """Runs restores."""

    client: Client
    stores: Stores
    clock: Clock
    settings: RestoreSettings
    telling: Telling
    unwanted: Wanted
    restore: Restore

    async def run(self, held: Held, source: Source) -> None:
        """Run a Restore that is in progress to its end, be it good or bad; raises Lost."""
        journal = Journal(self.clock, {"restore": str(held.key)}, plain=True)
        try:
            await self._to_the_end(held, source, journal)
        except (Lost, NotLeader):
            raise
        except Exception as exc:
            if not isinstance(exc, KNOWN):
                logger.exception("the restore failed", extra={"restore": str(held.key)})
            await self.fail(held, _words(exc))
        finally:
            journal.close()

    async def fail(self, held: Held, why: str) -> None:
        """Say that a restore has failed, and why."""
        await held.write(failed(why, self.clock.now()))
        self.telling.ended(held)

    async def finish(self, held: Held) -> None:
        """Say that a restore has come to its end."""
        await held.write(finished(held.status, self.clock.now()))
        self.telling.ended(held)

    async def _to_the_end(self, held: Held, source: Source, journal: Journal) -> None:
        if source.location is None:
            raise Failed("the restore has no storage location")
        store = await self.stores.open(source.location)
        try:
            outcome = await self._bring_back(held, source, store, journal)
        except Exception as exc:
            if not isinstance(exc, (Lost, NotLeader)):
                journal.error("the restore failed", error=_words(exc))
                # So that there is something to read for whoever asks why.
                await upload(store, held.name, journal.log(), Report(journal.results(), {}))
            raise
        # Long after it was opened, the location may have got other credentials.
        store = await self.stores.open(source.location)
        report = Report(journal.results(), outcome.resource_list)
        has_log = await upload(store, held.name, journal.log(), report)
        errors = journal.errors + (not has_log)
        await held.write(_finalizing(outcome, errors, journal.warnings))
        await self.finish(held)

    async def _bring_back(
        self, held: Held, source: Source, store: BackupStore, journal: Journal
    ) -> RestoreOutcome:
        with scratch_file(self.settings.scratch) as scratch:
            told = Progress()
            try:
                async with asyncio.TaskGroup() as group:
                    ticking = group.create_task(self._tick(held, told))
                    try:
                        contents = await download(store, source.backup_name, scratch)
                        warnings = await volume_warnings(store, source.backup_name)
                    except (ObjectsError, ArchiveError, OSError) as exc:
                        raise Failed(f"error downloading backup: {exc}") from exc
                    for warning in warnings:
                        journal.warning(warning)
                    run = self._run(held, source)
                    outcome = await self.restore(
                        self.client, run, contents, journal, told, self.clock
                    )
                    ticking.cancel()
            except BaseExceptionGroup as exc:
                raise first_error(exc) from exc
        return outcome

    def _run(self, held: Held, source: Source) -> RestoreRun:
        settings, meta = self.settings, held.obj["metadata"]
        labels, annotations = meta.get("labels"), meta.get("annotations")
        return RestoreRun(
            name=held.name,
            uid=held.uid,
            namespace=held.key.namespace,
            backup_name=source.backup_name,
            spec=typed(held.spec),
            priorities=settings.priorities,
            resource_timeout=settings.resource_timeout,
            terminating_timeout=settings.terminating_timeout,
            modifiers=source.modifiers,
            runs_hooks=runs_hooks(annotations),
            # What an archive says of a namespace is not for those to decide who are in it.
            makes_namespaces=not is_marked(NAR, labels, annotations),
            concurrency=settings.concurrency,
        )

    async def _tick(self, held: Held, now: Progress) -> None:
        """Tell of the progress, and stop what nobody wants any more."""
        told, since = (0, 0), self.clock.monotonic()
        most = self.settings.tenants_timeout
        while True:
            await self.clock.sleep(TICK_SECONDS)
            seconds = self.clock.monotonic() - since
            if why := self.unwanted(held) or overtime(held.obj, NAR, seconds, most):
                raise Failed(why)
            if (now.total, now.done) == told:
                continue
            told = (now.total, now.done)
            try:
                await held.write({"progress": progress(*told)})
            except (ApiError, ClientError) as exc:
                # The restore goes on without it.
                logger.warning("progress was not told", extra={"error": cut(str(exc))})


def _finalizing(outcome: RestoreOutcome, errors: int, warnings: int) -> Object:
    phases = RestorePhase.FINALIZING, RestorePhase.FINALIZING_PARTIALLY_FAILED
    return {
        "phase": phases[1] if errors else phases[0],
        "errors": errors,
        "warnings": warnings,
        "progress": progress(outcome.items, outcome.items),
        "hookStatus": {
            "hooksAttempted": outcome.hooks_attempted,
            "hooksFailed": outcome.hooks_failed,
        },
    }


def _words(exc: BaseException) -> str:
    text = str(exc)
    return text if isinstance(exc, KNOWN) else f"{type(exc).__name__}: {cut(text)}"
