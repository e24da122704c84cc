"""`kedge server` as a process: how it is started, what it has asked for, and what it costs."""

import base64
import contextlib
import json
import ssl
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from parts.api.servers import Target
from tests.real_cluster.child import Child
from tests.real_cluster.cluster import free_port

READY_SECONDS = 60
CPU_CLOCK = 2  # of a process, its threads together: clock_getcpuclockid(3)
UNLIMITED = ("--client-qps=0",)

Requests = dict[str, int]
"""How many requests were sent, by method and code: "POST 201"."""


@dataclass(frozen=True)
class Usage:
    """What a process had used at a moment; memory is what is resident, and the most it was."""

    cpu_seconds: float
    bytes: int
    peak_bytes: int


class Operator:
    """A process that is ready."""

    def __init__(self, child: Child, port: int) -> None:
        self._child = child
        self._url = f"http://127.0.0.1:{port}"

    def is_ready(self) -> bool:
        """Tell whether its caches are full."""
        try:
            return urllib.request.urlopen(f"{self._url}/readyz").status == 200  # type: ignore[no-any-return]
        except OSError:
            return False

    def requests(self) -> Requests:
        """Ask what it has sent since it began. This costs it some milliseconds of CPU time."""
        found: Requests = {}
        with urllib.request.urlopen(f"{self._url}/metrics") as answer:
            for family in text_string_to_metric_families(answer.read().decode()):
                for sample in family.samples:
                    if sample.name == "rest_client_requests_total":
                        name = f"{sample.labels['method']} {sample.labels['code']}"
                        found[name] = int(sample.value)
        return found

    def usage(self) -> Usage:
        """Read what it has used, without asking it."""
        pid = self._child.pid
        fields = dict(
            line.split(":", 1)
            for line in Path(f"/proc/{pid}/status").read_text().splitlines()
            if line.startswith(("VmRSS", "VmHWM"))
        )
        sizes = {name: int(text.split()[0]) * 1024 for name, text in fields.items()}
        # The kernel's own clock: the ticks of /proc are too coarse for a process that rests.
        cpu = time.clock_gettime((~pid << 3) | CPU_CLOCK)
        return Usage(cpu, sizes["VmRSS"], sizes["VmHWM"])


@contextlib.contextmanager
def operator(target: Target, namespace: str, flags: Sequence[str] = ()) -> Iterator[Operator]:
    """Run `kedge server` for one namespace of a server, alone, until the block is left."""
    with tempfile.TemporaryDirectory(prefix="bench-schedules-") as name:
        folder, port = Path(name), free_port()
        command = server_command(target, namespace, folder, port, "--no-leader-elect", *flags)
        child = Child(command, folder / "log")
        try:
            running = Operator(child, port)
            child.wait_until(running.is_ready, READY_SECONDS)
            yield running
        finally:
            child.kill()


def since(before: Requests, after: Requests) -> Requests:
    """Give the requests between two moments."""
    grown = {name: count - before.get(name, 0) for name, count in after.items()}
    return {name: count for name, count in grown.items() if count}


def server_command(
    target: Target, namespace: str, folder: Path, port: int, *flags: str
) -> list[str]:
    """Give the command line of a `kedge server` for one namespace; the folder is its own."""
    return [
        str(Path(sys.executable).with_name("kedge")),
        "server",
        f"--kubeconfig={kubeconfig_for(target, folder)}",
        f"--namespace={namespace}",
        f"--metrics-address=127.0.0.1:{port}",
        *flags,
    ]


def kubeconfig_for(target: Target, folder: Path) -> Path:
    """Write how to reach a server. JSON is YAML."""
    authorities = target.tls.get_ca_certs(binary_form=True)
    pem = "".join(map(ssl.DER_cert_to_PEM_cert, authorities))
    trust = base64.b64encode(pem.encode()).decode()
    server = {
        "server": target.url,
        "certificate-authority-data": trust,
        "disable-compression": True,  # as in a pod: to pack answers takes longer than to send them
    }
    token = target.headers["Authorization"].removeprefix("Bearer ")
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "bench",
        "clusters": [{"name": "bench", "cluster": server}],
        "users": [{"name": "bench", "user": {"token": token}}],
        "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": "bench"}}],
    }
    path = folder / "kubeconfig"
    path.touch(mode=0o600)
    path.write_text(json.dumps(config))
    return path
