"""The commands on the embedded API with controllers of ours, at a time that stands still."""

import asyncio
import shlex
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from click.testing import CliRunner, Result

from kedge.aio.background import background
from kedge.api.crd import crds
from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.nonadmin.restore import NON_ADMIN_RESTORE
from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.restore import RESTORE
from kedge.cli.app import kedge as app
from kedge.client import Client
from kedge.client.where import explicit
from kedge.controllers.nab import wiring as nab
from kedge.controllers.nab.wiring import NabSettings
from kedge.controllers.nar import controller as nar
from kedge.controllers.nar.controller import NarSettings
from kedge.controllers.prescaled import controller as prescaled
from kedge.controllers.prescaled.controller import PrescaledSettings
from kedge.controllers.schedule import controller as schedule
from kedge.controllers.schedule.controller import ScheduleSettings
from kedge.kube.kind import Kind
from kedge.runtime import Manager, ManagerSettings, WatchSettings
from kedge.testing import Cluster, FakeClock
from tests.integration.cli.hand import Hand
from tests.integration.eventually import pause
from tests.integration.founded import founded
from tests.unit.cli.conftest import NOW, StoppedClock

NAMESPACE = "velero"
SCHEDULES = f"/apis/velero.io/v1/namespaces/{NAMESPACE}/schedules"
BACKUPS = f"/apis/velero.io/v1/namespaces/{NAMESPACE}/backups"
UNSET = ("KEDGE_NAMESPACE", "VELERO_NAMESPACE", "KEDGE_KUBECONFIG", "KEDGE_KUBECONTEXT")
UUID = "0d0b7b2c-ee76-412d-a867-2c23b8aa51ab"
"""In the names of all that is made for self-service."""
PATIENCE_SECONDS = 60.0
PAUSE_SECONDS = 0.01
YEARS = 1e9
"""Seconds: the clock stands still, and a silent watch is no reason to ask again."""


class Unheard:
    """Takes Events, and keeps none."""

    def record(self, *_: Any, **__: Any) -> None:
        """Forget what happened."""


@dataclass
class Session:
    """A cluster to run commands on; it lives in a thread of its own."""

    is_controlled: bool
    kinds: Sequence[dict[str, Any]]
    hand: Hand | None = None
    is_served: bool = False
    """There are the controllers of self-service, too."""
    ready: threading.Event = field(default_factory=threading.Event)
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    def kedge(self, *args: str, stdin: str = "", **env: str | None) -> Result:
        """Run a command as its users do, and wait until the controller has seen what it did."""
        env = {"KUBECONFIG": str(self.kube.kubeconfig), **dict.fromkeys(UNSET), **env}
        result = CliRunner().invoke(app, args, input=stdin, obj=StoppedClock(), env=env)
        if self.is_controlled:
            self.call(self._settled())
        if self.hand is not None and self.hand.usual:
            self.call(self._handled())
        if self.is_served:
            self.call(self._answered())
        return result

    def output_of(self, command: str) -> str:
        """Run a line as a shell would; give all that it prints."""
        result = self.kedge(*shlex.split(command)[1:])
        return "".join(f"{line.rstrip()}\n" for line in result.output.splitlines())

    def get(self, name: str, *, backup: bool = False) -> dict[str, Any]:
        """Read a Schedule, or a Backup."""
        place = BACKUPS if backup else SCHEDULES
        return dict(self.call(self.kube.client.get(f"{place}/{name}")))

    def create(self, name: str, namespace: str = NAMESPACE, **spec: Any) -> None:
        """Create a Schedule, past the command."""
        made = {
            "apiVersion": "velero.io/v1",
            "kind": "Schedule",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"schedule": "@daily", "template": {}, **spec},
        }
        path = SCHEDULES.replace(f"/{NAMESPACE}/", f"/{namespace}/")
        self.call(self.kube.client.create(path, made))

    def put(self, kind: Kind[Any], name: str, **parts: Any) -> dict[str, Any]:
        """Create an object, past the command; its status as well, if there is one."""
        place = kind.collection(NAMESPACE)
        meta = {"name": name, "namespace": NAMESPACE, **parts.get("metadata", {})}
        head = {"apiVersion": kind.api_version, "kind": kind.name}
        body = {**head, "metadata": meta, **{k: v for k, v in parts.items() if k != "metadata"}}
        made = self.call(self.kube.client.create(place, body))
        if "status" in parts:
            path = f"{place}/{name}/status"
            made = self.call(self.kube.client.patch(path, {"status": parts["status"]}))
        return dict(made)

    def all(self, kind: Kind[Any]) -> list[dict[str, Any]]:
        """Read all objects of a kind."""
        return list(self.call(self.kube.client.get(kind.collection(NAMESPACE)))["items"])

    def empty(self, *kinds: Kind[Any]) -> None:
        """Delete all objects of some kinds."""
        for kind in kinds:
            self.call(self.kube.client.delete(kind.collection(NAMESPACE)))

    def namespace(self, name: str) -> None:
        """Create a namespace."""
        self.call(self.kube.client.create("/api/v1/namespaces", {"metadata": {"name": name}}))

    def set_status(self, name: str, status: dict[str, Any]) -> None:
        """Write what a server would have written."""
        path = f"{SCHEDULES}/{name}/status"
        self.call(self.kube.client.patch(path, {"status": status}))

    def names(self) -> list[str]:
        """Give the names of all Schedules of the namespace."""
        items = self.call(self.kube.client.get(SCHEDULES))["items"]
        return [one["metadata"]["name"] for one in items]

    def call(self, work: Any) -> Any:
        """Do something in the loop of the cluster."""
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        return future.result(PATIENCE_SECONDS)

    async def _settled(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                items = (await self.kube.client.get(SCHEDULES))["items"]
                early = (await self.kube.client.get(PRE_SCALED_CRON_JOB.collection()))["items"]
                if all(map(_is_seen, items)) and all(map(_is_planned, early)):
                    return
                await pause(PAUSE_SECONDS)

    async def _answered(self) -> None:
        """Wait until all that was asked for has ended, or waits for its user."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            for kind in (NON_ADMIN_BACKUP, NON_ADMIN_RESTORE):
                while not all(map(_is_answered, await self._found(kind))):
                    await pause(PAUSE_SECONDS)

    async def _found(self, kind: Kind[Any]) -> list[dict[str, Any]]:
        return list((await self.kube.client.get(kind.collection()))["items"])

    async def _handled(self) -> None:
        """Wait until nothing is left to do for the stand-in."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await self._is_left():
                await pause(PAUSE_SECONDS)

    async def _is_left(self) -> bool:
        for kind in (BACKUP, RESTORE):
            for one in (await self.kube.client.get(kind.collection(NAMESPACE)))["items"]:
                if one.get("status", {}).get("phase") != "Completed":
                    return True
        requests = DELETE_BACKUP_REQUEST.collection(NAMESPACE)
        return bool((await self.kube.client.get(requests))["items"])

    async def serve(self) -> None:
        """Run the cluster until it is told to stop."""
        self.loop = asyncio.get_running_loop()
        clock = FakeClock(NOW)
        async with founded(self.kinds, NAMESPACE, clock=clock) as kube:
            self.kube: Cluster = kube
            access = explicit(kube.url, token=kube.token, ca=kube.ca)
            async with Client(access) as client, background(*self._servers(client, clock)):
                await self._wait()

    def _servers(self, client: Client, clock: FakeClock) -> Iterator[Coroutine[Any, Any, None]]:
        if self.is_controlled:
            watch = WatchSettings(silence_seconds=YEARS)
            manager = Manager(client, ManagerSettings(watch=watch), clock)
            schedule.add_to(manager, client, Unheard(), ScheduleSettings())
            prescaled.add_to(manager, client, Unheard(), PrescaledSettings("kedge"))
            if self.is_served:
                backups = nab.add_to(manager, client, Unheard(), NabSettings())
                backups.make_uuid = lambda: UUID
                nar.add_to(manager, client, Unheard(), NarSettings(NAMESPACE, uuid=lambda: UUID))
            yield manager.run()
        if self.hand is not None:
            yield self.hand.work(client)

    async def _wait(self) -> None:
        self.ready.set()
        await self.stop.wait()


def _is_seen(schedule: dict[str, Any]) -> bool:
    told = schedule.get("status", {}).get("observedGeneration")
    return bool(told == schedule["metadata"]["generation"])


def _is_planned(prescaled: dict[str, Any]) -> bool:
    conditions = prescaled.get("status", {}).get("conditions", ())
    told = [one.get("observedGeneration") for one in conditions if one["type"] == "Ready"]
    return told == [prescaled["metadata"]["generation"]]


def _is_answered(request: dict[str, Any]) -> bool:
    status = request.get("status", {})
    told = {one["type"]: one for one in status.get("conditions", ())}
    if "deletionTimestamp" in request["metadata"]:
        # One that is deleted with its data goes; of others it is said what they wait for.
        return "Deleting" in told and not request["spec"].get("deleteBackup")
    ended = told.get("Succeeded", told.get("Failed", {}))
    accepted = told.get("Accepted", {})
    generation = request["metadata"]["generation"]
    return bool(ended) and accepted.get("observedGeneration") == generation


@contextmanager
def session(
    *,
    controlled: bool = False,
    kinds: Sequence[dict[str, Any]] | None = None,
    hand: Hand | None = None,
    served: bool = False,
) -> Iterator[Session]:
    """Run a cluster beside the test while the block runs."""
    running = Session(controlled, crds() if kinds is None else kinds, hand, served)
    thread = threading.Thread(target=lambda: asyncio.run(running.serve()), daemon=True)
    thread.start()
    assert running.ready.wait(PATIENCE_SECONDS)
    try:
        yield running
    finally:
        running.loop.call_soon_threadsafe(running.stop.set)
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()
