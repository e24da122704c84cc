"""A client for each server: ours, and a real one where there is one."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from kedge.client import Client, ClientSettings
from kedge.client.where import explicit
from kedge.kube.kind import plain
from tests.integration.apiserver_process import running
from tests.integration.client.kubelet import kubelet as kubelet
from tests.real_cluster import RealCluster

NAMESPACES = plain("v1", "Namespace", "namespaces", namespaced=False)


@dataclass(frozen=True)
class Api:
    """Where a server is, and the token of its admin."""

    url: str
    ca: Path
    token: str

    def client(self, token: str = "", settings: ClientSettings | None = None) -> Client:
        """Make a client, which the caller closes."""
        return Client(explicit(self.url, ca=self.ca, token=token or self.token), settings)


@pytest.fixture(scope="session")
def embedded_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """Give a server of ours, which has nothing in its log at the end."""
    folder = tmp_path_factory.mktemp("client") / "data"
    with running(folder) as server:
        pki = folder / "pki"
        yield Api(server.url, pki / "ca.crt", (pki / "admin.token").read_text().strip())
        assert server.errors() == ""


@pytest.fixture(scope="session", params=["kedge", "kubernetes"])
def api(request: pytest.FixtureRequest) -> Api:
    """Give a server; both go on when tests change from one to the other."""
    asked = "real_api" if request.param == "kubernetes" else "embedded_api"
    found: Api = request.getfixturevalue(asked)
    return found


@pytest.fixture(scope="session")
def real_api(real_cluster: RealCluster) -> Api:
    """Give the real server, for what ours does not do."""
    return Api(real_cluster.url, real_cluster.ca, real_cluster.tokens["admin"])


@pytest_asyncio.fixture
async def kube(api: Api) -> AsyncIterator[Client]:
    """Give a client with all rights."""
    async with api.client() as client:
        yield client


@pytest_asyncio.fixture
async def namespace(kube: Client) -> str:
    """Make a namespace for one test."""
    return await new_namespace(kube)


async def new_namespace(kube: Client) -> str:
    """Make a namespace with a name of its own."""
    made = await kube.create(NAMESPACES, {"metadata": {"generateName": "client-"}})
    name: str = made["metadata"]["name"]
    return name
