"""Backups of a real cluster, and hooks in a pod of it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from kedge.client import ClientSettings, patches
from kedge.client.client import Client
from kedge.client.where import explicit
from kedge.kube.kind import Object, plain
from tests.integration.client.kubelet import Kubelet, running_pod
from tests.integration.client.kubelet import kubelet as kubelet
from tests.integration.engine.backing import CONFIGS, NAMESPACES, PODS, Meddling, made_by
from tests.real_cluster import RealCluster

ROLES = plain("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", namespaced=False)


class Executing(Meddling):
    """A client that runs commands where they belong."""

    exec = Client.exec  # type: ignore[assignment]


@pytest_asyncio.fixture
async def kube(real_cluster: RealCluster) -> AsyncIterator[Executing]:
    """Give a client with all rights."""
    access = explicit(real_cluster.url, ca=real_cluster.ca, token=real_cluster.tokens["admin"])
    async with Executing(access, ClientSettings(per_second=0)) as client:
        yield client


@pytest_asyncio.fixture
async def namespace(kube: Executing) -> str:
    """Make a namespace for one test."""
    made = await kube.create(NAMESPACES, {"metadata": {"generateName": "backup-"}})
    name: str = made["metadata"]["name"]
    return name


@pytest.mark.asyncio
async def test_a_real_cluster_is_saved_as_it_is(kube: Executing, namespace: str) -> None:
    for number in range(5):
        data = {"k": "ä\u2028<>&" * 10}
        config = {"metadata": {"name": f"c{number}", "namespace": namespace}, "data": data}
        await kube.create(CONFIGS, config)
    made = await made_by(kube, page_size=2)
    assert made.errors == "{}"
    live = [one async for one in kube.list(ROLES)]
    saved = [one for name, one in made.items.items() if name.startswith("clusterroles.")]
    typed = {"apiVersion": ROLES.api_version, "kind": ROLES.name}
    assert len(live) == len(saved)
    # The cluster has only just begun to put together the roles that are made of others.
    live, saved = ([one for one in all_ if "aggregationRule" not in one] for all_ in (live, saved))
    assert [{**typed, **one} for one in live] == [{**typed, **one} for one in saved]
    mine = {name for name in made.items if name.startswith(f"configmaps/{namespace}/c")}
    assert mine == {f"configmaps/{namespace}/c{number}" for number in range(5)}
    assert f"namespaces/{namespace}" in made.items
    assert {"nodes", "flowschemas.flowcontrol.apiserver.k8s.io"} & made.resources


@pytest.mark.asyncio
async def test_hooks_run_in_the_container(
    kube: Executing, namespace: str, kubelet: Kubelet
) -> None:
    notes: Object = {
        "pre.hook.backup.velero.io/command": '["/bin/sh", "-c", "exit 0"]',
        "pre.hook.backup.velero.io/container": "side",
        "post.hook.backup.velero.io/command": '["/bin/sh", "-c", "echo oh dear >&2; exit 7"]',
    }
    async with running_pod(kube, kubelet, namespace, "main", "side") as name:
        change = patches.merge({"metadata": {"annotations": notes}})
        await kube.patch(PODS, name, change, namespace)
        made = await made_by(kube, includedNamespaces=[namespace])
    assert f"pods/{namespace}/{name}" in made.items
    assert (made.outcome.hooks_attempted, made.outcome.hooks_failed) == (2, 1)
    assert "command terminated with exit code 7: oh dear" in made.errors
    assert made.journal.errors == 1
