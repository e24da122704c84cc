"""A Backup begins with what the server has at hand; what may be old decides nothing by itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kedge.engine.backup.run import back_up
from kedge.testing import faults
from tests.integration.controllers.quay import (
    HOME,
    LOCATIONS,
    Quay,
    Server,
    location,
    metadata,
    quay,
    saved,
)

pytestmark = pytest.mark.asyncio

SNAPSHOTS = f"{HOME}/volumesnapshotlocations"
KINDS = {"backupstoragelocations", "volumesnapshotlocations"}
AT_HAND = faults.matches(verb="list", resource=KINDS)
SPACES = "/api/v1/namespaces"
PRIVATE = {"velero.io/exclude-from-backup": "true"}


def is_at_hand(request: faults.Request) -> bool:
    """Tell whether a list of locations, of either kind, may be old."""
    return AT_HAND(request) and request.query.get("resourceVersion") == "0"


@asynccontextmanager
async def lagging(server: Server) -> AsyncIterator[Quay]:
    """Have lists of locations that may be old be as old as the first one was."""
    past = faults.Past()
    async with quay(server) as port, port.running():
        with port.proxy.inject(past.keep, is_at_hand):
            await port.backup("first")
            assert (await port.ended("first"))["phase"] == "Completed"
        port.proxy.inject(past.serve, is_at_hand)
        yield port


async def test_a_location_that_is_new_is_found(tmp_path: Path) -> None:
    async with lagging(Server(tmp_path)) as port:
        await port.admin.create(LOCATIONS, location("new", default=False))
        await port.set_status(f"{LOCATIONS}/new", {"phase": "Available"})
        await port.backup("b", storageLocation="new")
        assert (await port.ended("b"))["phase"] == "Completed"


async def test_a_snapshot_location_that_is_new_is_found(tmp_path: Path) -> None:
    async with lagging(Server(tmp_path)) as port:
        made = {
            "apiVersion": "velero.io/v1",
            "kind": "VolumeSnapshotLocation",
            "metadata": {"name": "new"},
            "spec": {"provider": "example.org/disks"},
        }
        await port.admin.create(SNAPSHOTS, made)
        await port.backup("b", volumeSnapshotLocations=["new"])
        assert (await port.ended("b"))["phase"] == "Completed"
        await port.backup("c", volumeSnapshotLocations=["none"])
        (problem,) = (await port.ended("c"))["validationErrors"]
        assert "none" in problem


async def test_a_location_that_is_gone_is_missed(tmp_path: Path) -> None:
    async with lagging(Server(tmp_path)) as port:
        await port.admin.delete(f"{LOCATIONS}/default")
        await port.backup("b")
        (problem,) = (await port.ended("b"))["validationErrors"]
        assert "server default default does not exist" in problem


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"accessMode": "ReadOnly"}, "read-only mode"),
        ({"default": False, "accessMode": "ReadOnly"}, "read-only mode"),
    ],
)
async def test_a_location_that_was_changed_is_read_anew(
    tmp_path: Path, spec: dict[str, Any], words: str
) -> None:
    async with lagging(Server(tmp_path)) as port:
        await port.admin.patch(f"{LOCATIONS}/default", {"spec": spec})
        await port.backup("b", storageLocation="default")
        (problem,) = (await port.ended("b"))["validationErrors"]
        assert words in problem


async def test_the_location_that_was_used_last_is_read_along(tmp_path: Path) -> None:
    names = ("first", "again", "other", "back")
    async with quay(Server(tmp_path)) as port, port.running():
        await port.admin.create(LOCATIONS, location("other", default=False))
        await port.set_status(f"{LOCATIONS}/other", {"phase": "Available"})
        reads = faults.matches(verb="get", path=f"{LOCATIONS}/default")
        read = port.proxy.inject(faults.Past().keep, reads)
        for name in names:
            await port.backup(name, storageLocation="other" if name == "other" else "default")
            assert (await port.ended(name))["phase"] == "Completed"
        assert len(read.hits) == len(names), "once for each of its own, and once in vain"


async def test_a_bucket_that_was_changed_gets_the_backup(tmp_path: Path) -> None:
    async with lagging(Server(tmp_path)) as port:
        change = {"spec": {"objectStorage": {"bucket": "other"}}}
        await port.admin.patch(f"{LOCATIONS}/default", change)
        await port.backup("b")
        assert (await port.ended("b"))["phase"] == "Completed"
        assert (tmp_path / "other/backups/b/velero-backup.json").exists()
        assert not port.files("b")


@pytest.mark.parametrize(
    ("before", "after", "excluded"),
    [({}, PRIVATE, ["x", "space"]), (PRIVATE, {}, ["x"]), (PRIVATE, PRIVATE, ["x", "space"])],
    ids=["labelled since", "no longer", "all the time"],
)
async def test_labels_of_namespaces_count_as_they_are_when_it_runs(
    tmp_path: Path, before: dict[str, str], after: dict[str, str], excluded: list[str]
) -> None:
    async with quay(Server(tmp_path, collect=back_up)) as port:
        await port.admin.create(SPACES, {"metadata": {"name": "space", "labels": before}})
        await port.admin.create(f"{SPACES}/space/configmaps", {"metadata": {"name": "config"}})
        # The caches see nothing that happens to namespaces from now on.
        port.proxy.inject(faults.StallAnswer(), faults.matches(verb="watch", resource="namespaces"))
        async with port.running():
            await port.backup("first", includedNamespaces=["default"])
            await port.ended("first")
            labels = {name: after.get(name) for name in PRIVATE}
            await port.admin.patch(f"{SPACES}/space", {"metadata": {"labels": labels}})
            await port.backup("b", includedNamespaces=[], excludedNamespaces=["x"])
            assert (await port.ended("b"))["phase"] == "Completed"
            spec = (await port.get("b"))["spec"]
            assert spec["excludedNamespaces"] == excluded
            kept = metadata(tmp_path, "b")
            assert kept["spec"]["excludedNamespaces"] == excluded
            assert ("space/config" in saved(tmp_path, "b")) is ("space" not in excluded)
