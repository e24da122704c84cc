"""Replicas of `kedge server` that share one Lease: who leads, and how each is ended."""

import contextlib
import os
import signal
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from parts.api.servers import Target
from parts.schedules.operator import server_command
from tests.real_cluster.child import Child
from tests.real_cluster.cluster import free_port

LEADS = "leader_election_master_status"
START_SECONDS = 120


class Replica:
    """One process, with the settings that an installed one has."""

    def __init__(self, target: Target, space: str, work: Path) -> None:
        """Start it; it is not ready yet."""
        self._url = f"http://127.0.0.1:{(port := free_port())}"
        work.mkdir()
        command = server_command(target, space, work, port, "--log-level=warning")
        self._child = Child(command, work / "log")
        self.is_ended = False

    def wait(self) -> None:
        """Wait until it answers, whether it leads or not."""
        self._child.wait_until(lambda: self._metrics() is not None, START_SECONDS)

    @property
    def pid(self) -> int:
        """Give the number of the process."""
        return self._child.pid

    def leads(self) -> bool:
        """Ask it whether it holds the Lease."""
        text = None if self.is_ended else self._metrics()
        return text is not None and any(
            sample.value == 1
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == LEADS
        )

    def kill(self) -> None:
        """End it as a machine that loses its power does."""
        self.is_ended = True
        self._child.kill()

    def terminate(self) -> None:
        """Ask it to end, as Kubernetes does with a pod."""
        self.is_ended = True
        os.kill(self.pid, signal.SIGTERM)

    def _metrics(self) -> str | None:
        try:
            with urllib.request.urlopen(f"{self._url}/metrics", timeout=5) as answer:
                return str(answer.read(), "utf-8")
        except OSError:
            return None


class Replicas:
    """So many processes, of which one leads."""

    def __init__(self, target: Target, space: str, work: Path) -> None:
        self._made = 0
        self._where = target, space, work
        self.all: list[Replica] = []

    def start(self) -> None:
        """Add one, and wait until it answers."""
        target, space, work = self._where
        self._made += 1
        replica = Replica(target, space, work / str(self._made))
        self.all.append(replica)
        replica.wait()

    def leader(self) -> Replica | None:
        """Give the one that leads, if there is one."""
        return next((one for one in self.all if one.leads()), None)


@contextlib.contextmanager
def replicas(target: Target, space: str, count: int) -> Iterator[Replicas]:
    """Run so many replicas until the block is left."""
    with tempfile.TemporaryDirectory(prefix="bench-scale-") as work:
        running = Replicas(target, space, Path(work))
        try:
            for _ in range(count):
                running.start()
            yield running
        finally:
            for one in running.all:
                one.kill()
