"""Programs that run beside the tests, and never longer than the tests."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

TAIL = 2000  # characters of a log that are worth showing
PR_SET_PDEATHSIG = 1  # prctl(2)
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Died(Exception):
    """A program ended, or was not ready in time; the message has the end of its log."""


class Child:
    """A program in a process group of its own, its output in a file."""

    def __init__(self, command: list[str], log: Path) -> None:
        self.name = Path(command[0]).name
        self.log = log
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )

    @property
    def pid(self) -> int:
        """Give the process id."""
        return self._process.pid

    def wait_until(self, ready: Callable[[], bool], seconds: float, step: float = 0.05) -> None:
        """Ask again and again; raise Died if the program ends first or takes too long."""
        for _ in range(int(seconds / step)):
            if ready():
                return
            if self._ended_within(step):
                raise Died(f"{self.name} ended with {self._process.returncode}: {self.tail()}")
        raise Died(f"{self.name} was not ready within {seconds:g} s: {self.tail()}")

    def tail(self) -> str:
        """Give the end of what the program said."""
        return self.log.read_text(errors="replace")[-TAIL:]

    def kill(self) -> None:
        """End the program and its own children at once: what it held is thrown away."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _ended_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True


def _die_with_parent() -> None:
    # Runs in the child before exec: the kernel then kills it when the tests are killed.
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
