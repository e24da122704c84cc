"""Objects come back into a real cluster: as they were, once, with a kind of their own."""

import io
from contextlib import suppress
from typing import Any

import pytest

from kedge.aio.clock import SystemClock
from kedge.api.velero.backup import BackupSpec
from kedge.api.velero.restore import RestoreSpec
from kedge.archive.contents import Contents, ContentsBuilder
from kedge.client.client import Client
from kedge.client.settings import ClientSettings
from kedge.client.where import explicit
from kedge.engine.backup.run import BackupRun, back_up
from kedge.engine.backup.run import Progress as BackupProgress
from kedge.engine.journal import Journal
from kedge.engine.restore.definitions import CRDS
from kedge.engine.restore.preview import Action, preview
from kedge.engine.restore.request import RestoreOutcome, RestoreRun
from kedge.engine.restore.run import Progress, restore
from kedge.engine.restore.write import NAMESPACE
from kedge.kube.errors import NotFound
from tests.integration.engine.slipway import LIVED, slipway, widgets
from tests.real_cluster import RealCluster

SOURCE, TARGET = "app", "restore-engine"
CRD = "widgets.example.com"


async def backed_up() -> Contents:
    """Back up objects that lived in the embedded cluster."""
    chunks: list[bytes] = []

    async def sink(chunk: bytes) -> None:
        chunks.append(chunk)

    clock = SystemClock()
    journal = Journal(clock)
    async with slipway() as ship:
        await ship.namespace(SOURCE)
        await ship.kube.define(widgets())
        for path, each in LIVED.items():
            await ship.make(path, each)
        run = BackupRun(
            name="b1",
            namespace="velero",
            spec=BackupSpec(included_namespaces=[SOURCE], snapshot_volumes=False),
        )
        await back_up(ship.client, run, journal, sink, BackupProgress(), clock)
        assert (journal.errors, journal.warnings) == (0, 0)
    journal.close()
    builder = ContentsBuilder(io.BytesIO())
    builder.feed(b"".join(chunks))
    return builder.finish()


def told(**spec: Any) -> RestoreRun:
    """Write down a restore of the objects, and of their kind."""
    wanted = RestoreSpec(
        backup_name="b1",
        namespace_mapping={SOURCE: TARGET},
        include_cluster_resources=True,
        **spec,
    )
    return RestoreRun(name="r1", namespace="velero", backup_name="b1", spec=wanted)


async def run(client: Client, contents: Contents, **spec: Any) -> tuple[RestoreOutcome, Journal]:
    """Restore them."""
    clock = SystemClock()
    journal = Journal(clock, plain=True)
    outcome = await restore(client, told(**spec), contents, journal, Progress(), clock)
    return outcome, journal


def results(outcome: RestoreOutcome) -> set[str]:
    """Give what became of the objects."""
    lists = outcome.resource_list.values()
    return {each.rpartition("(")[2].rstrip(")") for entries in lists for each in entries}


@pytest.mark.asyncio
async def test_objects_come_back_into_a_real_cluster(real_cluster: RealCluster) -> None:
    contents = await backed_up()
    token, ca = real_cluster.tokens["admin"], real_cluster.ca
    access = explicit(real_cluster.url, token=token, ca=ca)
    async with Client(access, ClientSettings(per_second=0)) as client:
        try:
            await _check(client, contents)
        finally:
            await _clear(client)


async def _check(client: Client, contents: Contents) -> None:
    changes = await preview(client, told(), contents, SystemClock())
    assert {each.action for each in changes} == {Action.CREATED}
    first, journal = await run(client, contents)
    assert (journal.results()["errors"], journal.results()["warnings"]) == ({}, {})
    assert results(first) == {"created"}
    assert len(changes) == first.items
    second, journal = await run(client, contents, existing_resource_policy="none")
    assert (journal.results()["errors"], journal.results()["warnings"]) == ({}, {})
    assert results(second) == {"skipped"}
    third, journal = await run(client, contents, existing_resource_policy="update")
    assert (journal.results()["errors"], journal.results()["warnings"]) == ({}, {})
    assert results(third) == {"skipped"}


async def _clear(client: Client) -> None:
    """Leave the cluster as it was: other tests use it, too."""
    for kind, name in ((CRDS, CRD), (NAMESPACE, TARGET)):
        with suppress(NotFound):
            await client.delete(kind, name)
