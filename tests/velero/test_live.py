"""Backups move both ways, live: ours is restored by the original, and the original's by us.

Skipped without the original: `python tools/velero/build.py` builds it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.roundtrip.compare import State, differences, state
from tests.real_cluster import Programs
from tests.velero.programs import VeleroPrograms
from tests.velero.s3 import S3Server, s3_server
from tests.velero.server import NAMESPACE, Object
from tests.velero.stage import SECONDS, Stage, make_small, staged

BUCKET = "both-ways"
AROUND = "--exclude-namespaces=velero,kube-system,kube-public,kube-node-lease"


@pytest.fixture(scope="module")
def s3(
    velero_programs: VeleroPrograms, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        server.make_bucket(BUCKET)
        yield server


async def backed_up(stage: Stage, name: str) -> Object:
    words = ("backup", "create", name, AROUND, "--include-cluster-resources=true")
    await stage.run(*words, "--snapshot-volumes=false")
    return await stage.ended("Backup", name)


async def restored(stage: Stage, backup: str) -> Object:
    path = f"/apis/velero.io/v1/namespaces/{NAMESPACE}/backups/{backup}"
    await stage.scene.client.until(path, lambda _: True, SECONDS)
    await stage.run("restore", "create", f"{backup}-back", f"--from-backup={backup}")
    return await stage.ended("Restore", f"{backup}-back")


def of_users(found: State) -> State:
    """Leave out what the original, ours or a server keeps for itself."""
    spaces = {*AROUND.partition("=")[2].split(",")}
    return {
        key: obj
        for key, obj in found.items()
        if not spaces & {key[1], key[2]} and ".velero.io" not in f"{key[0]} {key[2]}"
    }


@pytest.mark.slow
@pytest.mark.usefixtures("velero_port")
@pytest.mark.asyncio
async def test_backups_move_both_ways(
    real_programs: Programs, velero_programs: VeleroPrograms, s3: S3Server, tmp_path: Path
) -> None:
    programs = (real_programs, velero_programs)
    async with staged(*programs, s3, tmp_path / "source") as stage:
        await make_small(stage.scene)
        before = of_users(await state(stage.scene.client))
        async with stage.ours(BUCKET):
            ours = await backed_up(stage, "ours")
        async with stage.original(BUCKET):
            theirs = await backed_up(stage, "theirs")
    assert ours["status"]["phase"] == theirs["status"]["phase"] == "Completed"
    assert ours["status"]["progress"] == theirs["status"]["progress"]

    async with staged(*programs, s3, tmp_path / "original") as stage:
        async with stage.original(BUCKET):
            there = await restored(stage, "ours")
        assert there["status"]["phase"] == "Completed"
        assert "errors" not in there["status"]
        assert list(differences(before, await state(stage.scene.client))) == []

    async with staged(*programs, s3, tmp_path / "ours") as stage:
        async with stage.ours(BUCKET):
            here = await restored(stage, "theirs")
        assert here["status"]["phase"] == "Completed"
        assert list(differences(before, await state(stage.scene.client))) == []
