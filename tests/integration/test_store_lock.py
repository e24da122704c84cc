"""One process at a time."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from kedge.store import Log, StoreLocked

HOLD = """
import asyncio, sys
from kedge.store import Log
log = Log.open(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
asyncio.run(log.close())
"""
TRY = """
import sys
from kedge.store import Log, StoreLocked
try:
    Log.open(sys.argv[1])
except StoreLocked:
    print("locked")
"""


@pytest.mark.asyncio
async def test_a_second_try_in_the_same_process_does_not_open_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    async with Log.open(path):
        with pytest.raises(StoreLocked):
            Log.open(path)
        other = await asyncio.create_subprocess_exec(
            sys.executable, "-c", TRY, str(path), stdout=subprocess.PIPE
        )
        assert (await other.communicate())[0] == b"locked\n"


@pytest.mark.parametrize("end", ["closed", "killed"])
def test_a_second_process_is_refused_until_the_first_has_ended(tmp_path: Path, end: str) -> None:
    path = tmp_path / "kedge.db"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"open\n"
        with pytest.raises(StoreLocked, match="in use by another process: stop that one"):
            Log.open(path)
        if end == "killed":
            first.kill()
        first.communicate()
    asyncio.run(Log.open(path).close())
