"""Which kinds of a real cluster have their versions counted with those of Backups."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from kedge.client import Client, ClientSettings, Selection
from kedge.client.where import explicit
from kedge.controllers.backup.recency import Recency
from kedge.engine.backup.bound import Bound
from kedge.engine.backup.listing import first_page
from kedge.kube.kind import Kind, Object, plain
from kedge.runtime import Key
from kedge.testing.clock import FakeClock
from tests.real_cluster import RealCluster, Setup, running
from tests.real_cluster.child import Child
from tests.real_cluster.cluster import etcd_flags, free_port
from tests.real_cluster.fixture import needed_programs

pytestmark = pytest.mark.asyncio

KEY = Key("velero", "b")
HERE = Selection("default")
CONFIGS = plain("v1", "ConfigMap", "configmaps")
SECRETS = plain("v1", "Secret", "secrets")
PODS = plain("v1", "Pod", "pods")
ROLES = plain("rbac.authorization.k8s.io/v1", "Role", "roles")
KINDS = (CONFIGS, SECRETS, PODS, ROLES)


@pytest.mark.slow
async def test_kinds_of_another_store_are_read_exactly(tmp_path: Path) -> None:
    with second_etcd(tmp_path) as url:
        setup = Setup(flags=(f"--etcd-servers-overrides=/configmaps#{url}",))
        with running(needed_programs(), tmp_path / "cluster", setup) as cluster:
            bound = await after_a_backup(cluster)
    assert bound.of("configmaps") == ""
    assert all(bound.of(str(kind)) for kind in KINDS[1:])


async def test_kinds_of_one_store_are_read_as_new_as_needed(real_cluster: RealCluster) -> None:
    bound = await after_a_backup(real_cluster)
    assert all(bound.of(str(kind)) for kind in KINDS)
    async with client_of(real_cluster) as client:
        made = await client.create(CONFIGS, named("needed-"), "default")
        bound.version = made["metadata"]["resourceVersion"]
        page = await first_page(client, CONFIGS.raw, HERE, 500, bound)
        assert any(made["metadata"]["name"].encode() in bytes(raw) for raw in page.items)
    assert not bound.refused


async def after_a_backup(cluster: RealCluster) -> Bound:
    """Read lists between two writes, and say how new the next lists must be."""
    recency = Recency(FakeClock())
    bound = Bound()
    async with client_of(cluster) as client:
        await client.create(CONFIGS, named("other-"), "default")
        before = await written(client)
        for kind in KINDS:
            await first_page(client, kind.raw, HERE, 1, bound)
        after = await written(client)
    recency.learn(bound, before, after)
    recency.wrote(after)
    recency.arrived(KEY, before)
    return recency.bound(KEY, after)


async def written(client: Client, kind: Kind[Object] = SECRETS) -> str:
    """Write something, and give its version."""
    made = await client.create(kind, named("written-"), "default")
    version: str = made["metadata"]["resourceVersion"]
    return version


def named(prefix: str) -> Object:
    return {"metadata": {"generateName": prefix}}


def client_of(cluster: RealCluster) -> Client:
    access = explicit(cluster.url, ca=cluster.ca, token=cluster.tokens["admin"])
    return Client(access, ClientSettings(per_second=0))


@contextlib.contextmanager
def second_etcd(folder: Path) -> Iterator[str]:
    """Run one more etcd; give its address."""
    url = f"http://127.0.0.1:{free_port()}"
    (folder / "second").mkdir()
    flags = etcd_flags(folder / "second", url, Setup())
    child = Child([str(needed_programs().etcd), *flags], folder / "second.log")
    try:
        yield url
    finally:
        child.kill()
