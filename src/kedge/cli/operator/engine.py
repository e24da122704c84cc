"""Adds the controllers of backups and restores, and of what is kept in buckets, to an operator."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from kedge import __version__
from kedge.api.velero.storage_location import BackupStorageLocation
from kedge.cli.operator.settings import EngineSettings, OperatorSettings
from kedge.client import Client
from kedge.controllers.backup import controller as backup
from kedge.controllers.backup.metrics import BackupMetrics
from kedge.controllers.backup.settings import BackupSettings
from kedge.controllers.deletion import controller as deletion
from kedge.controllers.deletion.metrics import DeletionMetrics
from kedge.controllers.download import controller as download
from kedge.controllers.download.serving import DownloadServing, DownloadServingSettings
from kedge.controllers.gc import controller as gc
from kedge.controllers.location import controller as location
from kedge.controllers.location.metrics import LocationMetrics
from kedge.controllers.queue import controller as queue
from kedge.controllers.restore import controller as restore
from kedge.controllers.restore.metrics import RestoreMetrics
from kedge.controllers.restore.settings import RestoreSettings
from kedge.controllers.serverstatus import controller as serverstatus
from kedge.controllers.sync import controller as sync
from kedge.engine.restore import order
from kedge.engine.storage.open import Stores
from kedge.objects.open import Surroundings
from kedge.runtime.cache import Cache
from kedge.runtime.manager import Manager
from kedge.runtime.recording import Recording
from kedge.runtime.serving import ServingError

N = TypeVar("N")


@dataclass(frozen=True, slots=True)
class Making:
    """What every controller is made with."""

    manager: Manager
    client: Client
    worker: Client
    """With connections of its own, so that a big restore keeps nobody else waiting."""
    recorder: Recording
    register: Callable[[Any], None]
    """Has numbers be told."""

    @property
    def first(self) -> tuple[Manager, Client, Recording]:
        """What they all take first."""
        return self.manager, self.client, self.recorder


@dataclass(frozen=True, slots=True)
class Parts:
    """What those of the engine are made with."""

    making: Making
    stores: Stores
    settings: EngineSettings
    namespace: str

    @property
    def first(self) -> tuple[Manager, Client, Recording]:
        """What they all take first."""
        return self.making.first

    @property
    def working(self) -> tuple[Manager, Client, Recording]:
        """What those take first that read or write all there is."""
        return self.making.manager, self.making.worker, self.making.recorder

    def told(self, numbers: N) -> N:
        """Have numbers be told, and give them back."""
        self.making.register(numbers)
        return numbers


async def add_engine(stack: AsyncExitStack, making: Making, settings: OperatorSettings) -> None:
    """Add all controllers that are not disabled; what they hold is let go of with the stack."""
    engine, namespace = settings.engine, settings.namespace
    sock, url = _listen(stack, engine)
    surroundings = Surroundings(engine.objects_folder, url, os.environ)
    stores = await stack.enter_async_context(Stores(making.client, surroundings, namespace))
    parts = Parts(making, stores, engine, namespace)
    for name, add in _ADDING.items():
        if name not in settings.disabled:
            add(parts)
    line = _add_queue(parts) if queue.NAME not in settings.disabled else None
    backups = _add_backups(parts) if backup.NAME not in settings.disabled else None
    if line is not None and backups is not None:
        acquaint(line, backups)
    if download.NAME in settings.disabled:
        return
    downloads = download.add_to(*parts.first, download.DownloadSettings(namespace), stores)
    if sock is not None:
        roots = _roots(engine.objects_folder, downloads.locations)
        serving = DownloadServingSettings(sock=sock)
        making.manager.serve(DownloadServing(serving, roots, making.manager.clock))


def acquaint(line: queue.QueueController, backups: backup.BackupController) -> None:
    """Have the queue and the backups of one process hear at once what the other has written."""
    backups.running.near = line.near
    line.fill = backups.ahead.fill
    line.foresee = backups.ahead.look
    line.ready.to(backups.hear)
    backups.ending.quiet = line.moment.over
    backups.written.to(line.hear)


def _listen(stack: AsyncExitStack, settings: EngineSettings) -> tuple[socket.socket | None, str]:
    """Take the address of the downloads, as their URLs are to name it; raises ServingError."""
    host, port = settings.download_host, settings.download_port
    if port is None:
        return None, settings.download_url
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        sock = stack.enter_context(socket.create_server((host, port), family=family))
    except OSError as exc:
        text = f"no downloads can be served on {host}:{port}: {exc.strerror}"
        raise ServingError(text) from exc
    return sock, settings.download_url or _url(host, sock.getsockname()[1])


def _url(host: str, port: int) -> str:
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _roots(
    folder: Path | None, locations: Cache[BackupStorageLocation]
) -> Callable[[], Iterator[Path]]:
    """Give the folders that hold buckets: that of the server, and those that locations name."""

    def roots() -> Iterator[Path]:
        if folder is not None:
            yield folder
        for entry in locations.entries():
            spec = entry.read().spec
            path = (spec.config or {}).get("path", "")
            if spec.provider == download.FILESYSTEM and Path(path).is_absolute():
                yield Path(path)

    return roots


def _add_locations(parts: Parts) -> None:
    settings = location.LocationSettings(
        parts.namespace, parts.settings.validation_frequency, parts.settings.default_location
    )
    numbers = parts.told(LocationMetrics())
    location.add_to(*parts.first, settings, parts.stores, numbers)


def _add_queue(parts: Parts) -> queue.QueueController:
    settings = queue.QueueSettings(parts.settings.concurrent_backups, parts.namespace)
    return queue.add_to(parts.making.manager, parts.making.client, settings)


def _add_backups(parts: Parts) -> backup.BackupController:
    given = parts.settings
    settings = BackupSettings(
        concurrent_backups=given.concurrent_backups,
        namespace=parts.namespace,
        default_location=given.default_location,
        default_ttl=given.backup_ttl,
        item_operation_timeout=given.item_operation_timeout,
        resource_timeout=given.resource_timeout,
        page_size=given.page,
    )
    numbers = parts.told(BackupMetrics())
    return backup.add_to(*parts.working, settings, parts.stores, numbers)


def _add_restores(parts: Parts) -> None:
    given = parts.settings
    settings = RestoreSettings(
        namespace=parts.namespace,
        priorities=order.parse(given.restore_priorities, order.DEFAULT),
        item_operation_timeout=given.item_operation_timeout,
        resource_timeout=given.resource_timeout,
        terminating_timeout=given.terminating_timeout,
    )
    numbers = parts.told(RestoreMetrics())
    restore.add_to(*parts.working, settings, parts.stores, numbers)


def _add_sync(parts: Parts) -> None:
    settings = sync.SyncSettings(parts.namespace, parts.settings.sync_period)
    sync.add_to(*parts.first, settings, parts.stores)


def _add_gc(parts: Parts) -> None:
    settings = gc.GcSettings(parts.namespace, parts.settings.gc_frequency)
    gc.add_to(*parts.first, settings)


def _add_deletion(parts: Parts) -> None:
    settings = deletion.DeletionSettings(parts.namespace)
    numbers = parts.told(DeletionMetrics())
    deletion.add_to(*parts.first, settings, parts.stores, numbers)


def _add_server_status(parts: Parts) -> None:
    settings = serverstatus.ServerStatusSettings(f"v{__version__}", parts.namespace)
    serverstatus.add_to(*parts.first, settings)


_ADDING = {
    location.NAME: _add_locations,
    restore.NAME: _add_restores,
    sync.NAME: _add_sync,
    gc.NAME: _add_gc,
    deletion.NAME: _add_deletion,
    serverstatus.NAME: _add_server_status,
}
"""How each controller is added; not the queue and the backups, which know each other, nor that of
downloads, which has a server beside it."""
