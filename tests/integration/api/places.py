"""Clusters on which kinds are tried: ours and a real one, with a kubectl for each."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kedge.aio.clock import SystemClock
from kedge.client import Client
from kedge.client.where import from_kubeconfig
from tests.integration.apiserver_process import running
from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.kubectls import found
from tests.integration.eventually import eventually
from tests.real_cluster import RealCluster

PLACES = ("embedded", pytest.param("real", marks=pytest.mark.slow))
PUBLISHED_SECONDS = 60.0
"""A real server takes a moment to publish the schemas of new kinds."""


@dataclass(frozen=True)
class Place:
    """A cluster that has Velero's kinds."""

    name: str
    kubectl: Kubectl
    complaints: str
    """What kubectl said on stderr while the CRDs were created."""

    def client(self) -> Client:
        """Make a typed client, which the caller closes."""
        clock = SystemClock()
        return Client(from_kubeconfig([self.kubectl.kubeconfig], environ={}, clock=clock))

    def create(self, obj: dict[str, Any]) -> str:
        """Create an object in the namespace of the place; unknown fields are refused."""
        return self.kubectl.ok(*STRICTLY, stdin=self.placed(obj))

    def refused(self, obj: dict[str, Any]) -> str:
        """Create an object that must be refused; give what is said about it."""
        return self.kubectl.refused(*STRICTLY, stdin=self.placed(obj))

    def placed(self, obj: dict[str, Any]) -> str:
        """Write an object as JSON, with the namespace of the place."""
        metadata = {**obj["metadata"], "namespace": self.kubectl.namespace}
        return json.dumps({**obj, "metadata": metadata})

    def explains(self, what: str) -> str:
        """Ask what a field means, as soon as the server can tell."""
        said: list[str] = []

        def is_told() -> bool:
            result = self.kubectl.run("explain", what)
            said[:] = [result.stdout]
            return result.returncode == 0

        asyncio.run(eventually(is_told, PUBLISHED_SECONDS))
        return said[0]


STRICTLY = ("create", "--validate=strict", "-f", "-")


@contextmanager
def place_of(
    request: pytest.FixtureRequest,
    folders: pytest.TempPathFactory,
    crds: Sequence[dict[str, Any]],
) -> Iterator[Place]:
    """Create the CRDs on the cluster that the fixture's parameter names."""
    programs = found()
    if not programs:
        pytest.skip("no kubectl on PATH or in the cache folder")
    version, program = list(programs.items())[-1]
    home = folders.mktemp("api-kubectl")
    if request.param == "real":
        real: RealCluster = request.getfixturevalue("real_cluster")
        kubectl = Kubectl(version, program, real.kubeconfig, "api-kinds", home)
        with _prepared(request.param, kubectl, crds) as place:
            yield place
        return
    with running(folders.mktemp("api-server") / "data") as server:
        kubectl = Kubectl(version, program, server.kubeconfig, "api-kinds", home)
        with _prepared(request.param, kubectl, crds) as place:
            yield place
        assert server.errors() == ""


@contextmanager
def _prepared(name: str, kubectl: Kubectl, crds: Sequence[dict[str, Any]]) -> Iterator[Place]:
    """Take all away again at the end: a real cluster is there for other tests, too."""
    file = str(_file(kubectl.home, crds))
    made = kubectl.run("create", "--validate=strict", "-f", file)
    try:
        assert made.returncode == 0, made.stderr
        kubectl.ok("wait", "--for=condition=Established", "--timeout=30s", "-f", file)
        kubectl.ok("create", "namespace", kubectl.namespace)
        yield Place(name, kubectl, made.stderr)
    finally:
        kubectl.ok("delete", "--ignore-not-found", "namespace", kubectl.namespace)
        kubectl.ok("delete", "--ignore-not-found", "-f", file)


def _file(folder: Path, crds: Sequence[dict[str, Any]]) -> Path:
    file = folder / "crds.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(crds)}))
    return file
