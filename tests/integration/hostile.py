"""The servers that hostile requests are sent to: ours, and a real one where there is one."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.apiserver_process import Running, running
from tests.integration.wire import Wire
from tests.real_cluster import RealCluster

CONFIGS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(scope="module", params=["kedge", "kubernetes"])
def wire(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Wire]:
    """Give a server that must answer as Kubernetes does; ours has nothing in its log."""
    if request.param == "kubernetes":
        real: RealCluster = request.getfixturevalue("real_cluster")
        yield Wire(real.url, real.tls, real.tokens["admin"])
        return
    folder = tmp_path_factory.mktemp("hostile") / "data"
    with running(folder) as server:
        yield wire_to(server, folder)
        assert server.errors() == ""


def wire_to(server: Running, folder: Path) -> Wire:
    """Give the way to our own server, as its admin."""
    tls = ssl.create_default_context(cafile=str(folder / "pki" / "ca.crt"))
    return Wire(server.url, tls, (folder / "pki" / "admin.token").read_text().strip())


def config(name: str, rest: bytes = b"") -> bytes:
    """Give a ConfigMap as it is sent; `rest` follows its metadata."""
    head = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"}' % name.encode()
    return head + (b"," + rest if rest else b"") + b"}"
