"""Kedge and Velero as processes that work for one namespace of an API server."""

import contextlib
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from parts.api.servers import Target
from parts.engine.meter import Meter
from parts.schedules.operator import kubeconfig_for, server_command
from tests.real_cluster.child import Child
from tests.real_cluster.cluster import free_port
from tests.velero.programs import VeleroPrograms
from tests.velero.server import check_port

READY_SECONDS = 120


@contextlib.contextmanager
def kedge(target: Target, space: str, folder: Path) -> Iterator[Meter]:
    """Run `kedge server`, which keeps its buckets in the folder where it is asked to."""
    with _process("kedge") as (work, port):
        flags = (f"--objects-dir={folder}", "--no-leader-elect", "--log-level=warning")
        command = server_command(target, space, work, port, *flags)
        with _running(command, work, f"http://127.0.0.1:{port}/readyz") as child:
            yield Meter(child.pid, target, port, is_counted_by_server=False)


@contextlib.contextmanager
def velero(target: Target, space: str, programs: VeleroPrograms) -> Iterator[Meter]:
    """Run Velero's server with its defaults; raises Died if the port that it needs is taken."""
    check_port()
    with _process("velero") as (work, port):
        plugins = work / "plugins"
        plugins.mkdir()
        (plugins / programs.plugin.name).symlink_to(programs.plugin)
        command = [
            "env",
            f"HOME={work}",
            f"TMPDIR={work}",
            f"VELERO_NAMESPACE={space}",
            str(programs.velero),
            "server",
            f"--kubeconfig={kubeconfig_for(target, work)}",
            f"--namespace={space}",
            f"--plugin-dir={plugins}",
            f"--metrics-address=127.0.0.1:{port}",
            "--profiler-address=",
        ]
        with _running(command, work, f"http://127.0.0.1:{port}/metrics") as child:
            yield Meter(child.pid, target, port, is_counted_by_server=True)


@contextlib.contextmanager
def _process(name: str) -> Iterator[tuple[Path, int]]:
    with tempfile.TemporaryDirectory(prefix=f"bench-{name}-") as work:
        yield Path(work), free_port()


@contextlib.contextmanager
def _running(command: list[str], work: Path, url: str) -> Iterator[Child]:
    child = Child(command, work / "log")
    try:
        child.wait_until(lambda: _answers(url), READY_SECONDS)
        yield child
    finally:
        child.kill()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False
