"""A stand-in for the server: answers requests at once, and lets backups end as a test wants it."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.download_request import DOWNLOAD_REQUEST
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.server_status import SERVER_STATUS_REQUEST
from kedge.cli.following import states
from kedge.client import Client, Selection
from kedge.client.patches import merge
from kedge.kube.errors import NotFound
from kedge.kube.kind import Kind

Object = dict[str, Any]
ANY = "*"
TIME = "2026-03-27T12:00:00Z"
DONE: Object = {
    "phase": "Completed",
    "startTimestamp": TIME,
    "completionTimestamp": TIME,
}


def packed(value: Any) -> bytes:
    """Write what is in a file: text, or a document, and packed."""
    text = value if isinstance(value, str) else json.dumps(value)
    return gzip.compress(text.encode(), mtime=0)


@dataclass
class Hand:
    """What is kept, and what is answered."""

    files: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """By the kind of file and the name of its owner, or ANY."""
    outcomes: dict[str, list[Object]] = field(default_factory=dict)
    """The statuses that a Backup or a Restore gets, one after the other; by its name."""
    usual: dict[str, list[Object]] = field(default_factory=dict)
    """Those of all others; by the kind."""
    errors: dict[str, list[str]] = field(default_factory=dict)
    """What stands in the way of the deletion of a Backup; by its name."""
    version: str = "0.1.0"
    is_silent: bool = False
    """It answers nothing."""
    refusal: tuple[int, str] | None = None
    """What the object store says instead of a file."""
    requests: list[dict[str, str]] = field(default_factory=list)
    """The headers of all requests for files."""
    url: str = ""
    seen: set[str] = field(default_factory=set)

    async def work(self, client: Client) -> None:
        """Answer until it is cancelled."""
        async with self._serving():
            await asyncio.gather(
                self._follow(client, DOWNLOAD_REQUEST.into(dict), self._download),
                self._follow(client, SERVER_STATUS_REQUEST.into(dict), self._status),
                self._follow(client, DELETE_BACKUP_REQUEST.into(dict), self._delete),
                self._follow(client, BACKUP.into(dict), self._run),
                self._follow(client, RESTORE.into(dict), self._run),
            )

    async def _follow(
        self,
        client: Client,
        kind: Kind[Object],
        answer: Callable[[Client, Kind[Object], Object], Coroutine[Any, Any, None]],
    ) -> None:
        async with aclosing(states(client, kind, Selection("velero"))) as following:
            async for found in following:
                for one in found.values():
                    uid = one["metadata"]["uid"]
                    if uid not in self.seen and not self.is_silent:
                        self.seen.add(uid)
                        await answer(client, kind, one)

    async def _set(self, client: Client, kind: Kind[Object], one: Object, status: Object) -> None:
        meta = one["metadata"]
        change = merge({"status": status})
        await client.patch_status(kind, meta["name"], change, meta["namespace"])

    async def _download(self, client: Client, kind: Kind[Object], one: Object) -> None:
        target = one["spec"]["target"]
        url = f"{self.url}/{target['kind']}/{target['name']}"
        await self._set(client, kind, one, {"phase": "Processed", "downloadURL": url})

    async def _status(self, client: Client, kind: Kind[Object], one: Object) -> None:
        plugins = [{"name": "kedge.dev/filesystem", "kind": "ObjectStore"}]
        status = {"phase": "Processed", "serverVersion": self.version, "plugins": plugins}
        await self._set(client, kind, one, status)

    async def _run(self, client: Client, kind: Kind[Object], one: Object) -> None:
        if one.get("status", {}).get("phase"):
            return
        for status in self._outcome(kind, one):
            await self._set(client, kind, one, status)

    def _outcome(self, kind: Kind[Object], one: Object) -> list[Object]:
        usual = self.usual.get(kind.name, [])
        return self.outcomes.get(one["metadata"]["name"], usual)

    async def _delete(self, client: Client, kind: Kind[Object], one: Object) -> None:
        name, place = one["spec"]["backupName"], one["metadata"]["namespace"]
        errors = self.errors.get(name)
        if errors:
            await self._set(client, kind, one, {"phase": "Processed", "errors": errors})
            return
        for gone, called in ((BACKUP, name), (kind, one["metadata"]["name"])):
            try:
                await client.delete(gone, called, place)
            except NotFound:
                continue

    @asynccontextmanager
    async def _serving(self) -> AsyncIterator[None]:
        app = web.Application()
        app.router.add_get("/{kind}/{name}", self._file)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        assert runner.addresses
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield
        finally:
            await runner.cleanup()

    async def _file(self, request: web.Request) -> web.Response:
        self.requests.append({name.lower(): value for name, value in request.headers.items()})
        if self.refusal is not None:
            return web.Response(status=self.refusal[0], text=self.refusal[1])
        key = (request.match_info["kind"], request.match_info["name"])
        found = self.files.get(key, self.files.get((key[0], ANY)))
        if found is None:
            raise web.HTTPNotFound
        return web.Response(body=found)


def reset(hand: Hand) -> None:
    """Forget what a test has set."""
    fresh = Hand(url=hand.url, seen=hand.seen)
    for name in Hand.__annotations__:
        setattr(hand, name, getattr(fresh, name))
