"""`kedge server` as a process, in the place where the original would run."""

import contextlib
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from kedge.api.crd import crds
from tests.integration.roundtrip.scene import Scene
from tests.real_cluster.child import Child
from tests.real_cluster.cluster import free_port
from tests.velero.server import NAMESPACE

READY_SECONDS = 60


async def add_kinds(scene: Scene) -> None:
    """Add those of our kinds that the original does not have; its own stay as it made them."""
    await scene.create([crd for crd in crds() if crd["spec"]["group"] != "velero.io"])


@contextlib.contextmanager
def kedge_server(kubeconfig: Path, folder: Path, *flags: str) -> Iterator[Child]:
    """Run all controllers on a cluster; its kinds must be there. Raises child.Died."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = [
        str(Path(sys.executable).with_name("kedge")),
        "server",
        f"--kubeconfig={kubeconfig}",
        f"--namespace={NAMESPACE}",
        f"--metrics-address=127.0.0.1:{port}",
        "--no-leader-elect",
        *flags,
    ]
    child = Child(command, folder / "kedge.log")
    try:
        child.wait_until(lambda: _is_ready(port), READY_SECONDS)
        yield child
    finally:
        child.kill()


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
