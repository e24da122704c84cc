"""The two servers: kube-apiserver with etcd, and ours. Both fresh, on loopback, durable, TLS."""

import base64
import contextlib
import json
import secrets
import ssl
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from time import perf_counter

import yaml

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT))  # the tests' own way to start a real cluster is used here

from tests.real_cluster import Missing, Setup, find, running  # noqa: E402
from tests.real_cluster.child import Child, Died  # noqa: E402
from tests.real_cluster.cluster import free_port  # noqa: E402
from tools.real_cluster.build import ETCD  # noqa: E402

__all__ = ["Died", "Missing", "Target", "ours", "real"]

READY_SECONDS = 60
POLL_SECONDS = 0.01


@dataclass(frozen=True)
class Target:
    """A server that is ready: where it is, what to show it, which processes it consists of."""

    name: str
    release: str
    url: str
    tls: ssl.SSLContext
    headers: dict[str, str] = field(repr=False)  # with a bearer token
    pids: tuple[int, ...]
    ready_seconds: float


@contextlib.contextmanager
def real() -> Iterator[Target]:
    """Run kube-apiserver and etcd, which waits for the disk as it does in production."""
    with (
        tempfile.TemporaryDirectory(prefix="bench-real-") as folder,
        running(find(), Path(folder), Setup(durable=True)) as cluster,
    ):
        version = json.loads(cluster.get("/version"))["gitVersion"]
        yield Target(
            name="real",
            release=f"kube-apiserver {version}, etcd {ETCD}",
            url=cluster.url,
            tls=cluster.tls,
            headers={"Authorization": f"Bearer {cluster.tokens['admin']}"},
            pids=tuple(child.pid for child in cluster.children.values()),
            ready_seconds=cluster.ready_seconds,
        )


@contextlib.contextmanager
def ours() -> Iterator[Target]:
    """Run `kedge apiserver` on a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-kedge-") as name:
        folder, token = Path(name), secrets.token_hex(16)
        kubeconfig, tokens = folder / "kubeconfig", folder / "tokens.csv"
        tokens.write_text(f'{token},bench,uid-bench,"system:masters"\n')
        url = f"https://127.0.0.1:{(port := free_port())}"
        flags = [f"--data={folder / 'data'}", f"--port={port}", f"--kubeconfig={kubeconfig}"]
        kedge = str(Path(sys.executable).with_name("kedge"))
        begin = perf_counter()
        child = Child([kedge, "apiserver", *flags, f"--token-file={tokens}"], folder / "log")
        try:
            child.wait_until(lambda: _is_ready(kubeconfig, url), READY_SECONDS, POLL_SECONDS)
            ready_seconds = perf_counter() - begin
            yield Target(
                name="kedge",
                release=f"kedge {metadata.version('kedge')}",
                url=url,
                tls=_trust(kubeconfig),
                headers={"Authorization": f"Bearer {token}"},
                pids=(child.pid,),
                ready_seconds=ready_seconds,
            )
        finally:
            child.kill()


def _is_ready(kubeconfig: Path, url: str) -> bool:
    if not kubeconfig.exists():
        return False
    try:
        with urllib.request.urlopen(f"{url}/readyz", context=_trust(kubeconfig)) as answer:
            return bool(answer.read() == b"ok")
    except (OSError, TypeError):  # not listening yet, or the file is half written
        return False


def _trust(kubeconfig: Path) -> ssl.SSLContext:
    cluster = yaml.safe_load(kubeconfig.read_text())["clusters"][0]["cluster"]
    if data := cluster.get("certificate-authority-data"):
        return ssl.create_default_context(cadata=base64.b64decode(data).decode())
    return ssl.create_default_context(cafile=cluster["certificate-authority"])
