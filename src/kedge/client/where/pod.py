"""The cluster around the pod that we run in, and its service account."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from multidict import CIMultiDict

from kedge.aio.clock import Clock
from kedge.client.where import headers, proxy, server, tls
from kedge.client.where.access import Access
from kedge.client.where.credentials import FromFile, Given, Standing
from kedge.client.where.errors import ConfigError, NothingConfigured
from kedge.client.where.files import Content, Reread

ROOT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where a kubelet puts the files of a service account."""
HOST, PORT = "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"


def in_cluster(*, environ: Mapping[str, str], clock: Clock, root: Path = ROOT) -> Access:
    """Use the service account of the pod; raises NothingConfigured outside of one."""
    host, port = environ.get(HOST, ""), environ.get(PORT, "")
    if not host or not port:
        raise NothingConfigured(f"{HOST} and {PORT} are not both set: this is not a pod")
    address = f"[{host}]" if ":" in host and not host.startswith("[") else host
    found = server.parse(f"https://{address}:{port}", f"{HOST} with {PORT}")
    token = Content(f"{root}/token", path=root / "token")
    return Access(
        server=found.url,
        credentials=Standing(
            Given(FromFile(Reread([token], lambda data: from_file(data[0], token.name), clock))),
            _roots(root / "ca.crt", clock),
            CIMultiDict(),
        ),
        namespace=_namespace(environ, root / "namespace"),
        proxy=proxy.from_environment(found.url, environ),
        # To pack a list costs the server as much as to read it, and it is near.
        disable_compression=True,
    )


def from_file(data: bytes, name: str) -> str:
    """Make a header of what a token file holds; raises ConfigError."""
    try:
        token = data.decode("utf-8").strip()
    except UnicodeDecodeError:
        token = ""
    if not token:
        raise ConfigError(f"{name} must hold a token")
    return headers.bearer(token, name)


def _roots(path: Path, clock: Clock) -> Reread[tls.Roots]:
    ca = Content(str(path), path=path)
    return Reread([ca], lambda data: tls.Roots(tls.authorities(data[0], ca.name)), clock)


def _namespace(environ: Mapping[str, str], path: Path) -> str:
    if environ.get("POD_NAMESPACE"):
        return environ["POD_NAMESPACE"]
    try:
        return path.read_text("utf-8").strip() or "default"
    except (OSError, UnicodeDecodeError):
        return "default"
