"""A node of the real cluster whose containers are this machine."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from kedge.client import Client, Deletion
from kedge.kube.kind import plain
from tests.real_cluster.child import Child
from tests.real_cluster.fixture import REQUIRED
from tools.real_cluster.build import KUBELET, KUBERNETES, cache_folder

NODES = plain("v1", "Node", "nodes", namespaced=False)
PODS = plain("v1", "Pod", "pods")
NONE = f"no {KUBELET} in the cache folder: build it with `make real-cluster` (needs Go)"
READY_SECONDS = 60


@dataclass(frozen=True)
class Kubelet:
    """A stand-in for a kubelet that listens."""

    port: int
    logs: Path

    def write(self, name: str, *lines: str) -> None:
        """Add lines to a log, each of which has a time and a stream before its text."""
        with (self.logs / f"{name}.log").open("a", newline="") as log:
            log.writelines(f"{line}\n" for line in lines)

    def end(self, name: str) -> None:
        """Let the container that writes a log end."""
        (self.logs / f"{name}.log.ended").touch()


@pytest.fixture(scope="session")
def kubelet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubelet]:
    """Run a stand-in for a kubelet; without the program a skip, or a failure if REQUIRED=1."""
    program = cache_folder(KUBERNETES) / KUBELET
    if not os.access(program, os.X_OK):
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(NONE)
        pytest.skip(NONE)
    folder = tmp_path_factory.mktemp("kubelet")
    port = folder / "port"
    child = Child([str(program), f"-logs={folder}", f"-ready={port}"], folder / "kubelet.log")
    try:
        child.wait_until(port.exists, READY_SECONDS)
        yield Kubelet(int(port.read_text()), folder)
    finally:
        child.kill()


@asynccontextmanager
async def running_pod(
    kube: Client, kubelet: Kubelet, namespace: str, *containers: str
) -> AsyncIterator[str]:
    """Put a pod on a node that is served by the kubelet, and take both away again."""
    node = await kube.create(NODES, {"metadata": {"generateName": "node-"}})
    name = node["metadata"]["name"]
    status = {
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": kubelet.port}},
    }
    await kube.update_status(NODES, {**node, "status": status})
    spec = {"nodeName": name, "containers": [{"name": c, "image": "x"} for c in containers]}
    pod = {"metadata": {"name": "pod", "namespace": namespace}, "spec": spec}
    await kube.create(PODS, pod)
    try:
        yield "pod"
    finally:
        await kube.delete(PODS, "pod", namespace, Deletion(grace_seconds=0))
        await kube.delete(NODES, name)
