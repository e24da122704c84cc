"""Programs that do not end by themselves."""

import os
import shlex
import signal
import sys
from pathlib import Path

import pytest

from kedge.client.where.program import run
from tests.integration.eventually import eventually

SECONDS = 3.0
"""Enough for a shell to start on a busy machine."""
ENVIRON = {"PATH": "/usr/bin:/bin"}


def is_alive(pid: int) -> bool:
    """Tell whether a process still runs; a dead one may wait for its parent to look."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.asyncio
async def test_a_program_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    child = tmp_path / "child"
    script = f"sleep 1000 & echo $! > {shlex.quote(str(child))}; wait"
    with pytest.raises(TimeoutError):
        await run(["/bin/sh", "-c", script], ENVIRON, SECONDS)
    pid = int(child.read_text())
    await eventually(lambda: not is_alive(pid))


@pytest.mark.asyncio
async def test_a_child_that_lives_on_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    child = tmp_path / "child"
    code = (
        "import os, sys, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    open(sys.argv[1], 'w').write(str(os.getpid()))\n"
        "    time.sleep(1000)\n"
    )
    with pytest.raises(TimeoutError):
        await run([sys.executable, "-c", code, str(child)], ENVIRON, SECONDS)
    os.kill(int(child.read_text()), signal.SIGKILL)


@pytest.mark.asyncio
async def test_what_is_written_is_kept_up_to_a_bound() -> None:
    outcome = await run(["/bin/sh", "-c", "echo out; echo err >&2; exit 7"], ENVIRON, 30.0)
    assert (outcome.code, outcome.output, outcome.complaint) == (7, b"out\n", b"err\n")
    outcome = await run(["/bin/sh", "-c", "head -c 5000000 /dev/zero"], ENVIRON, 30.0)
    assert (outcome.code, outcome.is_cut) == (0, True)
