"""The processes of a run: the two load sides, and one for each measurement of a contestant."""

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import yaml

from parts.runtime.meter import Measured
from parts.runtime.task import Task

BENCH = Path(__file__).parents[2]
"""Where modules of the benchmarks are found."""
PATIENCE_SECONDS = 120
ERROR_CHARACTERS = 2000


class Failed(Exception):
    """A process of the benchmark ended badly."""


class Load:
    """A load side that is starting; `kubeconfig` waits until it is ready."""

    def __init__(self, module: str, arguments: Sequence[str], folder: str) -> None:
        command = [sys.executable, "-m", module, *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=BENCH)
        self._folder = Path(folder)
        self._kubeconfig = ""

    @property
    def kubeconfig(self) -> str:
        """Give the path of a kubeconfig for it."""
        if not self._kubeconfig:
            assert self._process.stdout is not None
            said = self._process.stdout.readline().strip()
            if not said:
                raise Failed("the load side did not start")
            self._kubeconfig = self._written(int(said)) if said.isdigit() else said
        return self._kubeconfig

    def end(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.communicate()

    def _written(self, port: int) -> str:
        named = {"cluster": "feed", "user": "feed"}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "feed",
            "clusters": [{"name": "feed", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
            "users": [{"name": "feed", "user": {"token": "none"}}],
            "contexts": [{"name": "feed", "context": named}],
        }
        path = self._folder / "feed.kubeconfig"
        path.write_text(yaml.safe_dump(config))
        return str(path)


@contextlib.contextmanager
def feed(places: Sequence[str]) -> Iterator[Load]:
    """Run the feed, prepared for these objects."""
    with _load("parts.runtime.feed", places) as load:
        yield load


@contextlib.contextmanager
def embedded(resource: str, count: int) -> Iterator[Load]:
    """Run the embedded server and let it be filled."""
    with _load("parts.runtime.cluster", [resource, str(count)]) as load:
        yield load


@contextlib.contextmanager
def _load(module: str, arguments: Sequence[str]) -> Iterator[Load]:
    with tempfile.TemporaryDirectory(prefix="bench-runtime-") as folder:
        load = Load(module, arguments, folder)
        try:
            yield load
        finally:
            load.end()


class Contestant:
    """A process that does one measurement."""

    def __init__(self, task: Task) -> None:
        self._task = task
        command = [sys.executable, "-m", "parts.runtime.contestant", json.dumps(asdict(task))]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=BENCH)

    def result(self) -> Measured:
        """Wait for it, and give what it measured."""
        try:
            out, err = self._process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise Failed(f"{self._task.who}, {self._task.what}: took too long") from None
        if self._process.returncode:
            told = err[-ERROR_CHARACTERS:]
            raise Failed(f"{self._task.who}, {self._task.what}: {told}")
        return Measured(**json.loads(out))
