"""What a contestant costs: CPU time with its plugins', the peak of its memory, its requests."""

import ssl
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from parts.api.process import TICKS, family, peak, stat
from parts.api.servers import Target

KINDS = ("rest_client_requests_total", "apiserver_request_total")


@dataclass(frozen=True)
class Usage:
    """What a contestant had used at a moment."""

    cpu_seconds: float
    peak_bytes: int
    """The most that was resident since `forget_peak`; of the server alone, without plugins."""
    requests: int
    writes: int


@dataclass(frozen=True)
class Meter:
    """Looks at one process and at what counts its requests.

    Kedge counts them itself. Velero does not; for it the API server counts all that it is asked,
    a few a second of which are its own.
    """

    pid: int
    target: Target
    metrics_port: int
    is_counted_by_server: bool

    def forget_peak(self) -> None:
        """Begin a new peak of memory: proc(5), clear_refs."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def usage(self) -> Usage:
        """Look."""
        asked = self._requests()
        writes = sum(n for verb, n in asked.items() if verb not in ("GET", "LIST", "WATCH"))
        return Usage(_cpu_seconds(self.pid), peak(self.pid), sum(asked.values()), writes)

    def _requests(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for family_ in text_string_to_metric_families(self._metrics()):
            for sample in family_.samples:
                if sample.name in KINDS:
                    labels = sample.labels
                    verb = labels.get("verb") or labels["method"]
                    found[verb] = found.get(verb, 0) + int(sample.value)
        return found

    def _metrics(self) -> str:
        if self.is_counted_by_server:
            url, tls = f"{self.target.url}/metrics", self.target.tls
            return _read(urllib.request.Request(url, headers=self.target.headers), tls)
        return _read(urllib.request.Request(f"http://127.0.0.1:{self.metrics_port}/metrics"), None)


def _read(request: urllib.request.Request, tls: ssl.SSLContext | None) -> str:
    with urllib.request.urlopen(request, context=tls, timeout=60) as answer:
        text: str = answer.read().decode()
        return text


def _cpu_seconds(pid: int) -> float:
    """Add up user and system time: of the process, of children that ended, of those that live."""
    ticks = sum(map(int, stat(pid)[11:15]))
    ticks += sum(sum(map(int, stat(one)[11:13])) for one in family([pid]) if one != pid)
    return ticks / TICKS
