"""A DownloadRequest gets a URL that is good for ten minutes, and is gone when they are over."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from kedge.api.crd import crds
from kedge.api.velero.download_request import DownloadKind
from kedge.archive.layout import target_key
from kedge.controllers.download import controller
from kedge.controllers.download.controller import DownloadSettings
from kedge.kube.kind import Object
from tests.integration.controllers.storehouse import (
    BACKUPS,
    DOWNLOADS,
    LOCATIONS,
    RESTORES,
    URL,
    Adder,
    Parts,
    Storehouse,
    backup,
    status_of,
    storehouse,
)
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

NEEDS = ("backups", "backupstoragelocations", "downloadrequests", "restores")
KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}


def add() -> Adder:
    """Add the controller."""

    def to(parts: Parts) -> None:
        settings = DownloadSettings()
        controller.add_to(parts.manager, parts.client, parts.events, settings, parts.stores)

    return to


async def ask(port: Storehouse, name: str, kind: str, of: str = "nightly") -> dict[str, Any]:
    """Make a request, and give its status when nothing more happens."""
    made: Object = {
        "apiVersion": "velero.io/v1",
        "kind": "DownloadRequest",
        "metadata": {"name": name},
        "spec": {"target": {"kind": kind, "name": of}},
    }
    await port.kube.client.create(DOWNLOADS, made)
    await port.quiet()
    return status_of(await port.read(f"{DOWNLOADS}/{name}"))


async def prepare(port: Storehouse) -> None:
    """Make a location, a Backup and a Restore of it."""
    await port.available(objectStorage={"bucket": "boats", "prefix": "deep/er"})
    await port.kube.client.create(BACKUPS, backup("nightly"))
    await port.kube.client.create(RESTORES, restore("back", "nightly"))


def restore(name: str, of: str) -> Object:
    """Write a Restore."""
    made = {"apiVersion": "velero.io/v1", "kind": "Restore", "spec": {"backupName": of}}
    return {**made, "metadata": {"name": name}}


@pytest.mark.parametrize("kinds", KINDS)
async def test_every_kind_of_file_gets_its_url(kinds: str, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS, KINDS[kinds]()) as port:
        await prepare(port)
        async with port.working(add()):
            for number, kind in enumerate(DownloadKind):
                of = "back" if kind.startswith("Restore") else "nightly"
                status = await ask(port, f"get{number}", kind, of)
                url = urlsplit(status.pop("downloadURL"))
                assert status == {"phase": "Processed", "expiration": "2030-01-01T00:10:00Z"}
                assert f"{url.scheme}://{url.netloc}" == URL
                assert url.path == f"/objects/boats/deep/er/{target_key(kind, of)}"
            assert len(port.writes()) == len(DownloadKind)


async def test_requests_go_exactly_when_their_url_is_over(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await prepare(port)
        async with port.working(add()):
            await ask(port, "good", "BackupLog")
            await ask(port, "bad", "BackupLog", "nobody")
            await port.pass_time(minutes=9, seconds=59)
            assert await port.names(DOWNLOADS) == ["bad", "good"]
            await port.pass_time(seconds=1)
            assert await port.names(DOWNLOADS) == []


@pytest.mark.parametrize(
    ("kind", "of", "told"),
    [
        ("BackupLog", "nobody", 'there is no Backup "nobody"'),
        ("RestoreLog", "nobody", 'there is no Restore "nobody"'),
        ("RestoreLog", "lost", 'there is no Backup "nobody"'),
        ("BackupLog", "astray", 'there is no BackupStorageLocation "nowhere"'),
        ("BackupLog", "../nightly", "is no name of a Backup"),
        ("RestoreLog", "a/b", "is no name of a Restore"),
        ("BackupLog", "", "is no name of a Backup"),
        ("BackupLog", "broken", "unknown provider"),
    ],
)
async def test_what_has_no_file_stays_without_a_url_and_is_told(
    kind: str, of: str, told: str, tmp_path: Path
) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await prepare(port)
        await port.kube.client.create(RESTORES, restore("lost", "nobody"))
        await port.kube.client.create(BACKUPS, backup("astray", {"storageLocation": "nowhere"}))
        await port.kube.client.create(BACKUPS, backup("broken", {"storageLocation": "broken"}))
        await port.available("broken", provider="nobody")
        async with port.working(add()):
            status = await ask(port, "get", kind, of)
            assert status == {"expiration": "2030-01-01T00:10:00Z"}
            assert [reason for reason, _ in port.events.told] == ["DownloadFailed"]
            assert told in port.events.told[0][1]
            assert len(port.writes()) == 1


async def test_a_location_that_is_mended_in_time_gives_its_url(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available(provider="nobody")
        await port.kube.client.create(BACKUPS, backup("nightly"))
        async with port.working(add()):
            assert "downloadURL" not in await ask(port, "get", "BackupLog")
            change = {"spec": {"provider": "kedge.dev/filesystem"}}
            await port.kube.client.patch(f"{LOCATIONS}/default", change)
            await port.pass_time(seconds=10)
            assert status_of(await port.read(f"{DOWNLOADS}/get"))["phase"] == "Processed"


async def test_requests_of_an_earlier_life_are_removed_on_time(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        async with port.working(add()):
            pass
        target = {"target": {"kind": "BackupLog", "name": "x"}}
        for name, expiration in (
            ("old", "2029-12-31T23:59:59Z"),
            ("fresh", "2030-01-01T00:00:05Z"),
        ):
            made = {"apiVersion": "velero.io/v1", "kind": "DownloadRequest", "spec": target}
            await port.kube.client.create(DOWNLOADS, {**made, "metadata": {"name": name}})
            await port.say(f"{DOWNLOADS}/{name}", phase="Processed", expiration=expiration)
        async with port.working(add()):
            await port.quiet()
            assert await port.names(DOWNLOADS) == ["fresh"]
            await port.pass_time(seconds=5)
            assert await port.names(DOWNLOADS) == []
