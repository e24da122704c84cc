"""A cluster for a test: the embedded server in this process, gone when the test ends."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from kedge.aio.clock import Clock
from kedge.apiserver.app import ApiServer
from kedge.apiserver.settings import MEMORY, ServerSettings
from kedge.testing.client import Client, Object

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running API server."""

    url: str
    kubeconfig: Path
    """A file for kubectl and every other client; it holds the admin's client certificate."""
    token: str
    """A bearer token of the admin."""
    ca: Path
    """The certificate that clients must trust."""
    client: Client
    """A client with the admin's rights."""

    def client_for(self, token: str) -> Client:
        """Make a client for another bearer token, which the caller closes; empty: anonymous."""
        return Client(self.url, token, ssl.create_default_context(cafile=str(self.ca)))

    async def define(self, crd: Object) -> Object:
        """Create a CustomResourceDefinition, and wait until its objects can be created."""
        made = await self.client.create(CRDS, crd)
        return await self.client.until(f"{CRDS}/{made['metadata']['name']}", _is_established)


def _is_established(crd: Object) -> bool:
    conditions = crd.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


@asynccontextmanager
async def cluster(
    data: str | Path = MEMORY, *, clock: Clock | None = None, token_file: Path | None = None
) -> AsyncIterator[Cluster]:
    """Run a server on a free port of the loopback address while the block runs.

    Objects live in memory unless `data` names a folder. `clock` is asked for every time that the
    server writes. `token_file` has lines of token,user,uid,"group1,group2".
    """
    settings = ServerSettings(str(data), token_file=token_file)
    async with ApiServer(settings, clock) as server:
        address = server.address
        ca = address.pki.path("ca.crt")
        tls = ssl.create_default_context(cafile=str(ca))
        async with Client(address.url, address.token, tls) as client:
            yield Cluster(address.url, address.kubeconfig, address.token, ca, client)
