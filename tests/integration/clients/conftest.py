"""One server for all clients, and a kubectl of each version with a namespace of its own."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.apiserver_process import Running, running
from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.kubectls import found
from tests.integration.clients.manifests import crd

NONE = "no kubectl on PATH or in the cache folder (`make real-cluster` builds one)"
ENDS = {*list(found())[:1], *list(found())[-1:]}
"""The oldest and the newest; what works with both works with those between."""
EVERY = [
    pytest.param((name, path), id=name, marks=() if name in ENDS else pytest.mark.slow)
    for name, path in found().items()
] or [pytest.param(("", Path()), id="none", marks=pytest.mark.skip(reason=NONE))]
FULL = EVERY if os.environ.get("KEDGE_EVERY_KUBECTL") else EVERY[-1:]
"""Versions that go through every test: the newest one, as each takes half a minute."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run a server; whatever the clients did, it has nothing to complain about."""
    with running(tmp_path_factory.mktemp("server") / "data") as server:
        yield server
        assert server.errors() == ""


@pytest.fixture(scope="module", params=FULL)
def kubectl(
    request: pytest.FixtureRequest, server: Running, tmp_path_factory: pytest.TempPathFactory
) -> Kubectl:
    """Give the newest kubectl that this machine has, or each of them if asked."""
    return _kubectl(request, server, tmp_path_factory)


@pytest.fixture(scope="module", params=EVERY)
def any_kubectl(
    request: pytest.FixtureRequest, server: Running, tmp_path_factory: pytest.TempPathFactory
) -> Kubectl:
    """Give each kubectl that this machine has."""
    return _kubectl(request, server, tmp_path_factory)


def _kubectl(
    request: pytest.FixtureRequest, server: Running, folders: pytest.TempPathFactory
) -> Kubectl:
    version, program = request.param
    module = request.module.__name__.rpartition("test_kubectl_")[2]
    namespace = f"{module}-{version.replace('.', '-')}"
    server.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
    home = folders.mktemp(f"kubectl-{version}")
    return Kubectl(version, program, server.kubeconfig, namespace, home)


@pytest.fixture
def namespace(request: pytest.FixtureRequest, server: Running) -> str:
    """Make a namespace for one test."""
    module = request.module.__name__.rpartition("test_")[2].replace("_", "-")
    meta = {"generateName": f"{module}-"}
    made: str = server.post("/api/v1/namespaces", {"metadata": meta})["metadata"]["name"]
    return made


@pytest.fixture(scope="session")
def boats(server: Running) -> str:
    """Define Boat; give its group."""
    group = "boats.kedge.test"
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    server.post(path, yaml.safe_load(crd(group)))
    while not _established(server.json(f"{path}/boats.{group}")):
        """The server does it at once; a real one takes a moment."""
    return group


def _established(definition: dict[str, Any]) -> bool:
    conditions = definition["status"].get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)
