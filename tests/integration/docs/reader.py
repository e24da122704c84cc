"""A reader of a how-to page: `kedge up` in one terminal, the commands of the page in another."""

import os
import re
import shlex
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

from kedge.cli.app import kedge
from tests.integration.clients.kubectls import found
from tests.real_cluster.child import Child
from tests.real_cluster.cluster import free_port

UNSET = ("KEDGE_NAMESPACE", "VELERO_NAMESPACE", "KEDGE_KUBECONFIG", "KEDGE_KUBECONTEXT")
READY = "Ctrl-C stops it."
READY_SECONDS = 120.0
LONG_SECONDS = 120.0
KUBECTLS = list(found().values())
DAY, TIME = "2026-03-27", "12:00:00"
SAME: Mapping[str, str] = {
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( \+0000 UTC)": rf"{DAY} {TIME}\1",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z": f"{DAY}T{TIME}Z",
    r"-20\d{12}\b": f"-{DAY.replace('-', '')}{TIME.replace(':', '')}",
    r"\bin \d+\.\d s\b": "in 0.1 s",
    r"expires=\d+": "expires=1774613400",
    r"signature=[0-9a-f]{64}": "signature=5f1d…",
    r"http://127\.0\.0\.1:\d+/": "http://127.0.0.1:8086/",
    r"(?m)^\.+$": "",
    r"(?m) +$": "",
}
"""What is another each time, and what a page shows for it."""


@dataclass
class Reader:
    """Runs the commands of a page."""

    folder: Path
    kubeconfig: Path
    metrics: str
    """The URL of the numbers."""
    stands_for: dict[str, str] = field(default_factory=dict)
    """What a page names, and what it is here."""

    def write(self, name: str, text: str) -> None:
        """Write a file of a page."""
        for shown, real in self.stands_for.items():
            text = text.replace(shown, real)
        (self.folder / name).write_text(text)

    def output_of(self, command: str) -> str:
        """Run a line as a shell would; give what it prints, as a page shows it."""
        for shown, real in self.stands_for.items():
            command = command.replace(shown, real)
        words = shlex.split(command)
        text = self._kedge(words[1:]) if words[0] == "kedge" else self._run(words)
        text = text.replace(f"{self.folder}/", "").replace(str(self.folder), ".")
        for shown, real in self.stands_for.items():
            text = text.replace(real, shown)
        for pattern, shown in SAME.items():
            text = re.sub(pattern, shown, text)
        return text if not text or text.endswith("\n") else f"{text}\n"

    def numbers(self) -> str:
        """Read all metrics."""
        with urllib.request.urlopen(self.metrics, timeout=LONG_SECONDS) as answer:
            return str(answer.read().decode())

    def _kedge(self, words: list[str]) -> str:
        env = {"KUBECONFIG": str(self.kubeconfig), **dict.fromkeys(UNSET)}
        with chdir(self.folder):
            return CliRunner().invoke(kedge, words, env=env).output

    def _run(self, words: list[str]) -> str:
        program = str(KUBECTLS[-1]) if words[0] == "kubectl" else words[0]
        result = subprocess.run(
            [program, *words[1:]],
            env={**os.environ, "KUBECONFIG": str(self.kubeconfig)},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONG_SECONDS,
            check=False,
        )
        assert result.returncode == 0, f"{words}: {result.stdout}"
        return result.stdout


@contextmanager
def reading(folder: Path) -> Iterator[Reader]:
    """Run all of Kedge in an empty folder, and wait until backups can be made."""
    data, port = folder / "kedge-data", free_port()
    flags = ["--data", str(data), "--port", "0", "--metrics-address", f"127.0.0.1:{port}"]
    command = [sys.executable, "-m", "kedge", "up", *flags]
    (folder / "page").mkdir()
    with ExitStack() as stack:
        child = Child(command, folder / "up.log")
        stack.callback(child.kill)
        child.wait_until(lambda: READY in child.tail(), READY_SECONDS)
        url = f"http://127.0.0.1:{port}/metrics"
        reader = Reader(folder / "page", data / "kubeconfig", url)
        reader.output_of(
            "kubectl wait --for=jsonpath={.status.phase}=Available bsl/default -n velero"
        )
        yield reader
