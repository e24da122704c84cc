"""The servers that the runtime is tested against: ours, and a real one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from kedge.client import Client, ClientSettings
from kedge.client.where import explicit
from kedge.testing import Client as PlainClient
from kedge.testing import cluster
from tests.real_cluster import RealCluster


@dataclass(frozen=True)
class Server:
    """A running API server, and what it takes to be its admin."""

    url: str
    ca: Path
    token: str
    plain: PlainClient

    def client(self, settings: ClientSettings | None = None) -> Client:
        """Make a client, which the caller closes."""
        return Client(explicit(self.url, ca=self.ca, token=self.token), settings)

    async def namespace(self) -> str:
        """Make a namespace for one test."""
        made = await self.plain.create("/api/v1/namespaces", {"metadata": {"generateName": "t-"}})
        return str(made["metadata"]["name"])


@asynccontextmanager
async def embedded() -> AsyncIterator[Server]:
    """Run the embedded server while the block runs."""
    async with cluster() as kube:
        yield Server(kube.url, kube.ca, kube.token, kube.client)


@asynccontextmanager
async def real(cluster: RealCluster) -> AsyncIterator[Server]:
    """Speak to a real server that is running already."""
    token = cluster.tokens["admin"]
    async with PlainClient(cluster.url, token, cluster.tls) as client:
        yield Server(cluster.url, cluster.ca, token, client)
