"""The cluster of the examples in the reference: its schedules run, its backups end well."""

import contextlib
import json
import tempfile
from collections.abc import Iterator

from kedge.archive.item import Item, Place
from kedge.archive.writer import ArchiveWriter
from tests.integration.cli.hand import ANY, DONE, Hand, packed
from tests.integration.cli.session import Session, session

LOG = """\
time="2026-03-27T12:00:00Z" level=info msg="Setting up backup temp file" backup=velero/shop
time="2026-03-27T12:00:01Z" level=info msg="Backed up a total of 3 items" backup=velero/shop
"""
RESTORE_LOG = """\
time="2026-03-27T12:00:00Z" level=info msg="starting restore" restore=velero/back
time="2026-03-27T12:00:01Z" level=info msg="restore completed" restore=velero/back
"""
ENDED = DONE | {"completionTimestamp": "2026-03-27T12:00:01Z"}
BACKED_UP = ENDED | {
    "formatVersion": "1.1.0",
    "expiration": "2026-04-26T12:00:00Z",
    "progress": {"totalItems": 3, "itemsBackedUp": 3},
}
RESTORED = ENDED | {"progress": {"totalItems": 3, "itemsRestored": 3}}
CRON_JOB = {
    "metadata": {"name": "numbers"},
    "spec": {
        "schedule": "0 13 * * 1-5",
        "jobTemplate": {
            "spec": {
                "template": {
                    "spec": {
                        "containers": [{"name": "numbers", "image": "shop/numbers:1"}],
                        "restartPolicy": "Never",
                    }
                }
            }
        },
    },
}
POLICY = {
    "metadata": {"name": "kedge-nonadmin-policy"},
    "data": {"enforceBackupSpec": "ttl: 72h", "requireApprovalForBSL": "true"},
}
CONFIGS = {"prices": {"tea": "2.50"}, "hours": {"open": "09:00"}}


def _item(resource: str, kind: str, name: str, namespace: str = "", **more: object) -> Item:
    meta = {"name": name} | ({"namespace": namespace} if namespace else {})
    body = {"apiVersion": "v1", "kind": kind, "metadata": meta, **more}
    return Item(Place(resource, namespace, name), "v1", json.dumps(body).encode())


def _archive() -> bytes:
    writer = ArchiveWriter(mtime=0)
    writer.add(_item("namespaces", "Namespace", "shop"))
    for name, data in CONFIGS.items():
        writer.add(_item("configmaps", "ConfigMap", name, "shop", data=data))
    return writer.finish()


@contextlib.contextmanager
def documented() -> Iterator[Session]:
    """Run it, in a folder of its own, while the block runs."""
    listed = {"v1/ConfigMap": ["shop/hours", "shop/prices"], "v1/Namespace": ["shop"]}
    restored = {"v1/ConfigMap": ["shop/hours(created)", "shop/prices(skipped)"]}
    hand = Hand(
        files={
            ("BackupLog", ANY): packed(LOG),
            ("BackupContents", ANY): _archive(),
            ("BackupResourceList", ANY): packed(listed),
            ("BackupVolumeInfos", ANY): packed([]),
            ("RestoreLog", ANY): packed(RESTORE_LOG),
            ("RestoreResourceList", ANY): packed(restored),
            ("RestoreVolumeInfo", ANY): packed([]),
        },
        usual={"Backup": [BACKED_UP], "Restore": [RESTORED]},
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        session(controlled=True, hand=hand, served=True) as running,
    ):
        running.namespace("shop")
        place = "/api/v1/namespaces/shop/configmaps"
        present = {"metadata": {"name": "prices"}, "data": {"tea": "2.00"}}
        running.call(running.kube.client.create(place, present))
        configs = "/api/v1/namespaces/velero/configmaps"
        running.call(running.kube.client.create(configs, POLICY))
        jobs = "/apis/batch/v1/namespaces/default/cronjobs"
        running.call(running.kube.client.create(jobs, CRON_JOB))
        yield running
