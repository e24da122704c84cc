"""Record what the original writes anew: `python -m tests.velero.record`.

Runs a real API server, an S3 server and Velero, has it back up and restore, and keeps the
buckets in `fixtures/`, one folder each, as a location of the filesystem would see it. Beside
them is what a second, empty cluster held after the original had restored a backup there.
"""

import asyncio
import gzip
import json
import shutil
import sys
import tempfile
from pathlib import Path

import obstore

from tests.integration.roundtrip.compare import state
from tests.real_cluster import find
from tests.velero.programs import find_velero
from tests.velero.recorded import FIXTURES, RESTORED
from tests.velero.s3 import S3Server, s3_server
from tests.velero.server import NAMESPACE
from tests.velero.stage import Stage, make_small, staged
from tools.velero.build import cache_folder

AROUND = "--exclude-namespaces=velero,kube-system,kube-public,kube-node-lease"
SYNC_SECONDS = 120


async def every_kind(stage: Stage) -> None:
    """Back up all kinds, and restore them beside themselves."""
    async with stage.original("every-kind"):
        await stage.run(
            *("backup", "create", "every-kind", AROUND, "--include-cluster-resources=true"),
            *("--snapshot-volumes=false", "--wait"),
        )
        await stage.run(
            *("restore", "create", "beside", "--from-backup=every-kind", "--wait"),
            *("--namespace-mappings=trouble:beside", "--exclude-namespaces=other"),
            "--include-cluster-resources=true",
        )


async def versions(stage: Stage) -> None:
    """Back up each served version of each kind."""
    async with stage.original("versions", "--features=EnableAPIGroupVersions"):
        namespaces = "--include-namespaces=other,trouble"
        await stage.run("backup", "create", "versions", namespaces, "--wait")


async def partial(stage: Stage) -> None:
    """Back up volumes, and a pod whose hook fails, as there is no kubelet to run it."""
    hook = {
        "pre.hook.backup.velero.io/command": '["/bin/false"]',
        "pre.hook.backup.velero.io/on-error": "Continue",
    }
    path = await stage.scene.path(("v1", "Pod", "trouble", "one"))
    await stage.scene.client.patch(path, {"metadata": {"annotations": hook}})
    async with stage.original("partial"):
        await stage.run("backup", "create", "partial", "--include-namespaces=trouble", "--wait")


async def fresh(stage: Stage) -> None:
    """Restore all kinds into an empty cluster, and keep what is there then."""
    async with stage.original("every-kind"):
        path = f"/apis/velero.io/v1/namespaces/{NAMESPACE}/backups/every-kind"
        await stage.scene.client.until(path, lambda _: True, SYNC_SECONDS)
        await stage.run("restore", "create", "fresh", "--from-backup=every-kind", "--wait")
    found = [
        (resource, obj)
        for (resource, namespace, name), obj in sorted((await state(stage.scene.client)).items())
        if not _is_of_the_server(resource, namespace, name)
    ]
    for _, obj in found:
        obj["metadata"].pop("managedFields", None)
    RESTORED.write_bytes(gzip.compress(json.dumps(found, sort_keys=True).encode(), mtime=0))


def _is_of_the_server(resource: str, namespace: str, name: str) -> bool:
    """Tell what a server, or the original, makes for itself; it may name the machine."""
    return (
        NAMESPACE in (namespace, name)
        or namespace in AROUND.partition("=")[2].split(",")
        or (namespace, name) == ("default", "kubernetes")
        or resource.startswith(("events", "ipaddresses."))
        or ".velero.io" in f"{resource} {name}"
    )


async def record(folder: Path) -> None:
    """Run each recording, and keep what came of it."""
    programs = (find(), find_velero())
    with s3_server(folder / "s3") as s3:
        for bucket in ("every-kind", "versions", "partial"):
            s3.make_bucket(bucket)
        async with staged(*programs, s3, folder / "first") as first:
            await make_small(first.scene)
            await every_kind(first)
            await versions(first)
            await partial(first)
        async with staged(*programs, s3, folder / "second") as second:
            await fresh(second)
        for bucket in ("every-kind", "versions", "partial"):
            keep(s3, bucket, folder)


def keep(s3: S3Server, bucket: str, folder: Path) -> None:
    """Copy a bucket to the fixtures; paths of this machine are taken out of its logs."""
    target = FIXTURES / bucket
    shutil.rmtree(target, ignore_errors=True)
    store = s3.store(bucket)
    for found in obstore.list(store).collect():
        path = target / found["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        data = bytes(obstore.get(store, found["path"]).bytes())
        if path.name.endswith("-logs.gz"):
            data = gzip.compress(_without_paths(gzip.decompress(data), folder), mtime=0)
        path.write_bytes(data)
        sys.stdout.write(f"{path.relative_to(FIXTURES)} {len(data):,}\n")


def _without_paths(text: bytes, folder: Path) -> bytes:
    for path in (folder, cache_folder()):
        text = text.replace(str(path).encode(), b"")
    return text


def main() -> None:
    """Record all."""
    with tempfile.TemporaryDirectory(prefix="velero-") as name:
        asyncio.run(record(Path(name)))


if __name__ == "__main__":
    main()
