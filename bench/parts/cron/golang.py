"""robfig/cron, the Go original, as an engine: builds bench/go and talks JSON lines to it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from parts.cron.cases import CHAINS, START
from parts.cron.engines import BATCH, Row
from parts.cron.timing import Task

SOURCE = Path(__file__).parents[2] / "go"
BINARY = SOURCE / "bin" / "robfig"
BUILD_SECONDS = 180  # a first build fetches the module and compiles the standard library
OPS = ("parse", "first", "next", "far", "random")


class NoGo(Exception):
    """Go cannot be measured here; the message says why."""


class Go:
    """A running bench/go program. Use as a context manager: it owns the process."""

    name = "Go"

    def __init__(self) -> None:
        build()
        self._process = subprocess.Popen(
            [BINARY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def close(self) -> None:
        """End the program: it stops when its input does."""
        self._process.communicate()

    def answers(self, op: str, row: Row) -> list[int] | None:
        """List what the original says."""
        if op not in ("next", "far", "random"):
            return None
        found: list[int] = self._ask(op, row, 0)["answers"]
        return found

    def task(self, op: str, row: Row) -> Task | None:
        """Time inside the Go program: the pipe is not counted."""
        if op not in OPS:
            return None
        return Task(
            row.counts.get(op, BATCH), lambda loops: float(self._ask(op, row, loops)["ns"]) / 1e9
        )

    def _ask(self, op: str, row: Row, loops: int) -> dict[str, Any]:
        request = {
            "op": op,
            "expression": row.case.expression,
            "zone": row.case.zone,
            "start": int((CHAINS[op].start if op in CHAINS else START).timestamp()),
            "count": row.counts.get(op, BATCH),
            "instants": [int(t.timestamp()) for t in row.instants] if op == "random" else [],
            "loops": loops,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        reply: dict[str, Any] = json.loads(self._process.stdout.readline())
        if reply["error"]:
            raise NoGo(f"the Go program refused {row.case.expression!r}: {reply['error']}")
        return reply


def build() -> None:
    """Compile bench/go, or say in words why that is not possible."""
    if shutil.which("go") is None:
        raise NoGo("no Go toolchain on this machine")
    try:
        built = subprocess.run(
            ["go", "build", "-o", BINARY, "."],
            cwd=SOURCE,
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as exc:
        raise NoGo(f"go build took more than {BUILD_SECONDS} s") from exc
    if built.returncode != 0:
        lines = built.stderr.strip().splitlines() or ["no message"]
        raise NoGo(f"go build failed: {lines[-1][:200]}")


def version() -> str:
    """Name the Go release, e.g. go1.26.8."""
    told = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True)
    return told.stdout.strip()
