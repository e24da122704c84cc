"""Programs beside the tests end with them, and tell why they did not start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real_cluster.child import Child, Died

FOREVER = ["/bin/sleep", "1000"]


def runs(pid: int) -> bool:
    """Say if the process is there and no zombie."""
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_kill_ends_the_program(tmp_path: Path) -> None:
    child = Child(FOREVER, tmp_path / "log")
    child.kill()
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)
    child.kill()  # once more does no harm


def test_a_program_that_ends_is_not_waited_for(tmp_path: Path) -> None:
    child = Child(["/bin/sh", "-c", "echo no such flag; exit 3"], tmp_path / "log")
    with pytest.raises(Died, match=r"sh ended with 3: no such flag"):
        child.wait_until(lambda: False, seconds=60)


def test_a_program_that_is_never_ready_is_named(tmp_path: Path) -> None:
    child = Child(FOREVER, tmp_path / "log")
    with pytest.raises(Died, match=r"sleep was not ready within 0.1 s"):
        child.wait_until(lambda: False, seconds=0.1, step=0.01)
    child.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_a_program_does_not_outlive_killed_tests(tmp_path: Path) -> None:
    code = (
        "import os, signal; from pathlib import Path; from tests.real_cluster.child import Child;"
        f"print(Child({FOREVER!r}, Path({str(tmp_path / 'log')!r})).pid, flush=True);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    clock = Child(FOREVER, tmp_path / "clock")
    try:
        clock.wait_until(lambda: not runs(pid), seconds=10)
    finally:
        clock.kill()
