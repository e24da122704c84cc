"""One server for all clients, and a kubectl of each version with a namespace of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.apiserver_process import Running, running
from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.kubectls import found

NONE = "no kubectl on PATH or in the cache folder (`make real-cluster` builds one)"
VERSIONS = [pytest.param((name, path), id=name) for name, path in found().items()] or [
    pytest.param(("", Path()), id="none", marks=pytest.mark.skip(reason=NONE))
]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run a server; whatever the clients did, it has nothing to complain about."""
    with running(tmp_path_factory.mktemp("server") / "data") as server:
        yield server
        assert server.errors() == ""


@pytest.fixture(scope="module", params=VERSIONS)
def kubectl(
    request: pytest.FixtureRequest, server: Running, tmp_path_factory: pytest.TempPathFactory
) -> Kubectl:
    """Give kubectl in each version that this machine has."""
    version, program = request.param
    module = request.module.__name__.rpartition("test_kubectl_")[2]
    namespace = f"{module}-{version.replace('.', '-')}"
    home = tmp_path_factory.mktemp(f"kubectl-{version}")
    server.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
    return Kubectl(version, program, server.kubeconfig, namespace, home)
