"""Runs one backup: collects, uploads while it collects, checks what arrived, and ends it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Final

from kedge.aio.clock import Clock
from kedge.aio.group import first_error
from kedge.aio.together import together
from kedge.api.velero.backup import BackupPhase
from kedge.api.velero.hook import runs_hooks
from kedge.archive.verify import Summary
from kedge.client import Client, ClientError
from kedge.controllers.backup.decide import Prepared
from kedge.controllers.backup.ending import EXISTS, Ending
from kedge.controllers.backup.files import Files, Unwhole
from kedge.controllers.backup.held import Held, Lost
from kedge.controllers.backup.pipe import Pipe
from kedge.controllers.backup.recency import Recency
from kedge.controllers.backup.settings import BackupSettings
from kedge.engine.backup.bound import Bound
from kedge.engine.backup.run import BackupOutcome, BackupRun, Progress, Sink
from kedge.engine.journal import Journal
from kedge.engine.storage.open import Stores
from kedge.kube.errors import ApiError
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.kube.times import parse_time
from kedge.objects.errors import ObjectsError
from kedge.runtime import Key
from kedge.runtime.leader import NotLeader
from kedge.selfservice.marks import NAB
from kedge.selfservice.patience import overtime

logger = logging.getLogger(__name__)

TICK_SECONDS: Final = 1.0
"""So often progress is told, and it is looked whether the backup is still wanted."""


class Overtime(Exception):
    """The backup takes longer than those who asked for it may keep others waiting."""


KNOWN: Final = (ObjectsError, ApiError, ClientError, Unwhole, Overtime)
"""What goes wrong with a backup and is no fault of ours; the words are for people."""

Wanted = Callable[[Held], str]
"""Says why a backup is not to go on; empty: it is."""


Collect = Callable[[Client, BackupRun, Journal, Sink, Progress, Clock], Awaitable[BackupOutcome]]
"""Reads the cluster into an archive: `kedge.engine.backup.run.back_up`."""


async def _nothing(key: Key) -> None:
    pass


class NotWanted(Exception):
    """Somebody is deleting the Backup while it runs."""


@dataclass(slots=True)
class _Trip:
    """One backup that runs."""

    held: Held
    prepared: Prepared
    journal: Journal
    bound: Bound
    """How new its lists must be."""
    before: str
    """The version of the Backup before there were any."""
    files: Files | None = None
    """Where it is written; None: it has not begun."""
    written: Summary | None = None
    """What was found in the archive on its way; None: not all of it has left."""


@dataclass(slots=True)
class Running:
    """Runs backups."""

    client: Client
    stores: Stores
    clock: Clock
    settings: BackupSettings
    ending: Ending
    unwanted: Wanted
    collect: Collect
    recency: Recency
    near: Callable[[Key], Coroutine[None, None, None]] = _nothing
    """Hears of a Backup that will soon make room for another, while its last files are written."""

    async def run(self, held: Held, prepared: Prepared) -> None:
        """Start a Backup, and run it to its end, be it good or bad; raises Lost."""
        journal = Journal(self.clock, {"backup": str(held.key)})
        bound = self.recency.bound(held.key, held.version)
        trip = _Trip(held, prepared, journal, bound, held.version)
        try:
            await self._to_the_end(trip, await self._stream(trip))
        except (Lost, NotLeader):
            raise
        except Exception as exc:
            if held.ran is None:
                raise  # it is as it was, and can be begun again
            await self._fail(trip, exc)
        finally:
            journal.close()

    async def _fail(self, trip: "_Trip", exc: Exception) -> None:
        held, journal = trip.held, trip.journal
        if not isinstance(exc, (*KNOWN, NotWanted)):
            logger.error("the backup failed", extra={"backup": str(held.key)}, exc_info=exc)
        await self.ending.fail(held, _words(exc), has_files=trip.files is not None)
        if trip.files is not None and not isinstance(exc, NotWanted):
            journal.error("the backup failed", error=_words(exc))
            # So that there is something to read for whoever asks why; it is no backup.
            await trip.files.put_log(journal.log())

    async def _begin(self, held: Held, prepared: Prepared) -> Files:
        """Say that it runs, and open the bucket meanwhile; raises what is wrong with either."""
        began, files = await asyncio.gather(
            held.write(prepared.status, prepared.change(held.obj)),
            self._open(held, prepared),
            return_exceptions=True,
        )
        if began is not None:
            raise began
        self.recency.wrote(held.version)
        held.ran = held.spec
        self.ending.telling.started(held)
        if isinstance(files, BaseException):
            raise files
        return files

    async def _open(self, held: Held, prepared: Prepared) -> Files:
        """Open the bucket, in which there must be no backup of this name."""
        if prepared.location is None:
            raise ObjectsError("the backup has no storage location")
        store = await self.stores.open(prepared.location)
        try:
            is_there = await store.has_backup(held.name)
        except ObjectsError as exc:
            text = "error checking if backup already exists in object storage"
            raise ObjectsError(f"{text}: {exc}") from exc
        if is_there:
            raise ObjectsError(EXISTS)
        return Files(store, held.name, self.clock)

    async def _to_the_end(self, trip: "_Trip", outcome: BackupOutcome) -> None:
        """Say that there is a backup."""
        assert trip.files is not None
        self.recency.learn(trip.bound, trip.before, trip.held.version)
        self.recency.wrote(trip.held.version)
        await self.ending.complete(trip.held, trip.files)

    async def _finalize(self, trip: "_Trip", outcome: BackupOutcome) -> None:
        """Say that it has run, and check what has arrived."""
        assert trip.files is not None
        assert trip.written is not None
        self.ending.telling.uploaded(trip.held, outcome.size_bytes)
        spec = trip.prepared.excluding(outcome.left_out)
        if spec:
            trip.held.ran = {**(trip.held.ran or {}), **spec}
        change = {"spec": spec} if spec else None
        await together(
            trip.held.write(_finalizing(outcome, trip.journal), change),
            trip.files.verify(trip.written, outcome),
        )

    async def _stream(self, trip: "_Trip") -> BackupOutcome:
        """Begin, collect and upload at the same time; what fails first ends it all."""
        pipe, progress = Pipe(), Progress()
        try:
            async with asyncio.TaskGroup() as group:
                beside: list[asyncio.Task[None]] = []

                async def begin() -> None:
                    trip.files = await self._begin(trip.held, trip.prepared)
                    trip.held.has_files = True
                    beside.append(group.create_task(_upload(trip, trip.files, pipe)))
                    beside.append(group.create_task(self._tick(trip.held, progress)))

                outcome = await self.collect(
                    self.client,
                    self._wanted(trip, begin),
                    trip.journal,
                    pipe.write,
                    progress,
                    self.clock,
                )
                await pipe.end()
                upload, ticking = beside
                group.create_task(self.near(trip.held.key))
                await self._put_all(trip, outcome, upload)
                ticking.cancel()
                await self._finalize(trip, outcome)
        except BaseExceptionGroup as exc:
            raise first_error(exc) from exc
        return outcome

    async def _put_all(
        self, trip: "_Trip", outcome: BackupOutcome, upload: Awaitable[None]
    ) -> None:
        """Write the other files while the rest of the archive is on its way."""
        assert trip.files is not None
        await together(upload, trip.files.put_beside(outcome, trip.journal))

    def _wanted(self, trip: "_Trip", begin: Callable[[], Awaitable[None]]) -> BackupRun:
        held, prepared = trip.held, trip.prepared
        return BackupRun(
            name=held.name,
            namespace=held.key.namespace,
            spec=prepared.typed,
            uid=held.uid,
            page_size=self.settings.page_size,
            policies=prepared.policies,
            bound=trip.bound,
            runs_hooks=runs_hooks(held.obj["metadata"].get("annotations")),
            mtime=int(parse_time(prepared.status["startTimestamp"]).timestamp()),
            begin=begin,
        )

    async def _tick(self, held: Held, progress: Progress) -> None:
        """Tell of the progress, and stop what nobody wants any more."""
        told, since = (0, 0), self.clock.monotonic()
        await self.clock.sleep(TICK_SECONDS)
        self.ending.telling.goes_on(held)
        while True:
            if why := self.unwanted(held):
                raise NotWanted(why)
            seconds = self.clock.monotonic() - since
            if why := overtime(held.obj, NAB, seconds, self.settings.tenants_timeout):
                raise Overtime(why)
            now = (progress.total, progress.done)
            if now != told:
                told = now if await self._is_told(held, now) else told
            await self.clock.sleep(TICK_SECONDS)

    async def _is_told(self, held: Held, now: tuple[int, int]) -> bool:
        """Write how far it is; tell whether that was done."""
        try:
            await held.write({"progress": _progress(*now)})
        except (ApiError, ClientError) as exc:
            # The backup goes on without it.
            logger.warning("progress was not told", extra={"error": cut(str(exc))})
            return False
        return True


async def _upload(trip: _Trip, files: Files, pipe: Pipe) -> None:
    try:
        trip.written = await files.put_archive(pipe.read())
    except ObjectsError as exc:
        raise ObjectsError(f"error uploading backup contents: {exc}") from exc
    if not pipe.is_read:
        raise ObjectsError("error uploading backup contents: they were not all taken")


def _finalizing(outcome: BackupOutcome, journal: Journal) -> Object:
    """Give the status of a backup of which all but the last file is there."""
    is_whole = not journal.errors
    phases = BackupPhase.FINALIZING, BackupPhase.FINALIZING_PARTIALLY_FAILED
    return {
        "phase": phases[0] if is_whole else phases[1],
        "errors": journal.errors,
        "warnings": journal.warnings,
        "progress": _progress(outcome.items, outcome.items),
        "hookStatus": {
            "hooksAttempted": outcome.hooks_attempted,
            "hooksFailed": outcome.hooks_failed,
        },
    }


def _progress(total: int, done: int) -> Object:
    return {"totalItems": total, "itemsBackedUp": done}


def _words(exc: Exception) -> str:
    text = str(exc)
    return text if isinstance(exc, (*KNOWN, NotWanted)) else f"{type(exc).__name__}: {cut(text)}"
