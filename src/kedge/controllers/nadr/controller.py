"""Wire NonAdminDownloadRequests to the API: ask for a URL, pass it on, remove it on time."""

import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from kedge.aio.clock import Clock
from kedge.client import Client, Deletion, Selection
from kedge.client.patches import merge
from kedge.controllers.nadr.decide import Ask, Remove, Wait, Write, decide, download_for, failed
from kedge.controllers.nadr.heads import DOWNLOADS, NADRS, NARS, Download, Nadr
from kedge.controllers.nadr.source import NOT_OWN, TEXTS, NoSource, Sources
from kedge.kube.errors import AlreadyExists, NotFound
from kedge.kube.kind import Object
from kedge.kube.times import format_time
from kedge.runtime import (
    AWAIT_CHANGE,
    Cache,
    Change,
    Entry,
    Keeping,
    Key,
    Manager,
    On,
    Result,
    mapped,
    when,
)
from kedge.runtime.events import WARNING
from kedge.runtime.recording import Recording
from kedge.selfservice.change import change_to
from kedge.selfservice.nab import NABS

logger = logging.getLogger(__name__)

NAME: Final = "nonadmindownloadrequest"
ORIGIN: Final = "origin"
"""The index of DownloadRequests by what they were made for."""
TARGET: Final = "target"
"""The index of requests by whose file they ask for."""
RETRY_SECONDS: Final = 30.0
"""What was not there is looked for again, if nothing changes before."""


@dataclass(frozen=True, slots=True)
class NadrSettings:
    """How downloads are answered."""

    home: str = "velero"
    """The server's namespace, in which DownloadRequests are made."""
    workers: int = 2


@dataclass(slots=True)
class NadrController:
    """Gives each request the URL that the server answers."""

    client: Client
    home: str
    downloads: Cache[Download]
    sources: Sources
    recorder: Recording
    clock: Clock

    async def reconcile(self, key: Key) -> Result:
        """Bring one request up to date."""
        nadr = await self._newest(key)
        await self._tidy(key, nadr)
        if nadr is None:
            return AWAIT_CHANGE
        match decide(nadr, self._download(nadr), self.clock.now()):
            case Remove():
                with suppress(NotFound):  # that is what was wanted
                    deletion = Deletion(uid=nadr.metadata.uid)
                    await self.client.delete(NADRS, key.name, key.namespace, deletion)
            case Wait(until):
                return self._until(until)
            case Write(change):
                new = await self._write(nadr, change)
                found = decide(new, None, self.clock.now())
                return self._until(found.until) if isinstance(found, Wait) else AWAIT_CHANGE
            case Ask():
                return await self._ask(nadr)
        return AWAIT_CHANGE

    async def _newest(self, key: Key) -> Nadr | None:
        """Read a request; one that is being deleted is as good as gone."""
        try:
            nadr = await self.client.get(NADRS, key.name, key.namespace)
        except NotFound:
            return None
        return None if nadr.is_leaving else nadr

    async def _tidy(self, key: Key, nadr: Nadr | None) -> None:
        """Delete DownloadRequests whose request is gone, or asks for something else by now."""
        for entry in self.downloads.find(ORIGIN, str(key)):
            if nadr is None or not entry.read().is_of(nadr):
                with suppress(NotFound):
                    deletion = Deletion(uid=entry.meta.uid)
                    await self.client.delete(DOWNLOADS, entry.key.name, self.home, deletion)

    def _download(self, nadr: Nadr) -> Download | None:
        found = self.downloads.get(Key(self.home, nadr.download_name))
        return found if found is not None and found.is_of(nadr) else None

    async def _ask(self, nadr: Nadr) -> Result:
        """Make the DownloadRequest, if there is something of the user's own to download."""
        try:
            name = await self.sources.find(nadr)
        except NoSource as exc:
            kind = str(exc)
            told = failed(nadr, kind, TEXTS[kind], format_time(self.clock.now()))
            if change := change_to(nadr.status, told):
                await self._write(nadr, change)
                self.recorder.record(nadr, WARNING, kind, TEXTS[kind], kind=NADRS)
            return AWAIT_CHANGE if kind == NOT_OWN else Result(after_seconds=RETRY_SECONDS)
        wanted = download_for(nadr, self.home, name)
        with suppress(AlreadyExists):  # the cache will show it
            await self.client.create(DOWNLOADS, msgspec.convert(wanted, Download))
            logger.info("a download is asked for", extra={"download": nadr.download_name})
        return AWAIT_CHANGE

    async def _write(self, nadr: Nadr, change: Object) -> Nadr:
        namespace, name = nadr.place
        bound = {"resourceVersion": nadr.metadata.resource_version}
        patch = merge({"metadata": bound, "status": change})
        return await self.client.patch_status(NADRS, name, patch, namespace)

    def _until(self, wake: datetime | None) -> Result:
        """Look again at an instant: by the clock on the wall, and by the time that passes."""
        if wake is None:
            return AWAIT_CHANGE
        return Result(wake, max(0.0, (wake - self.clock.now()).total_seconds()))


def _origin(entry: Entry[Download]) -> Iterable[Key]:
    origin = entry.read().origin
    return () if origin is None else (Key(origin.namespace, origin.name),)


def _target(entry: Entry[Nadr]) -> Iterable[str]:
    return (str(Key(entry.key.namespace, entry.read().target[1])),)


def _is_news(change: Change[Any]) -> bool:
    """Tell whether a request came, went or changed: its status is our own work."""
    if change.old is None or change.new is None:
        return True
    old, new = change.old.meta, change.new.meta
    is_same = (old.uid, old.deletion_timestamp) == (new.uid, new.deletion_timestamp)
    return change.moves_generation or not is_same


def add_to(
    manager: Manager, client: Client, recorder: Recording, settings: NadrSettings
) -> NadrController:
    """Have a manager run the controller."""
    home = settings.home
    nadrs = manager.cache(NADRS, Keeping(indexes={TARGET: _target}))
    index = {ORIGIN: lambda entry: [str(key) for key in _origin(entry)]}
    downloads = manager.cache(DOWNLOADS, Keeping(Selection(home), index))
    nabs, nars = manager.cache(NABS), manager.cache(NARS)

    def wanting(change: Change[Any]) -> Iterable[Key]:
        found = nadrs.find(TARGET, str(change.key)) if len(nadrs) else ()
        return [one.key for one in found if _is_open(one)]

    controller = NadrController(
        client, home, downloads, Sources(client, home), recorder, manager.clock
    )
    watches = [
        On(nadrs, when(_is_news, lambda change: (change.key,))),
        On(downloads, mapped(_origin)),
        On(nabs, wanting),
        On(nars, wanting),
    ]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller


def _is_open(entry: Entry[Nadr]) -> bool:
    """Tell whether a request still waits for what it asks for."""
    found = str(entry.read().status or "")
    return not entry.read().answer and NOT_OWN not in found
