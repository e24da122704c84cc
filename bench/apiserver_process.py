"""What the kernel knows about a server's processes: CPU time and the peak of memory."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(roots: Iterable[int]) -> float:
    """Give the CPU time that the processes and their children took so far, in user and kernel."""
    return sum(sum(map(int, _stat(pid)[11:13])) for pid in family(roots)) / TICKS


def peak_bytes(roots: Iterable[int]) -> int:
    """Add up the most resident memory that each process ever had (VmHWM)."""
    return sum(_peak(pid) for pid in family(roots))


def family(roots: Iterable[int]) -> Iterator[int]:
    """List the processes and all that descend from them."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _stat(int(entry.name))):
            children.setdefault(int(stat[1]), []).append(int(entry.name))
    todo = list(roots)
    while todo:
        pid = todo.pop()
        yield pid
        todo += children.get(pid, [])


def _stat(pid: int) -> list[str]:
    # Fields from the state on: the name before it may hold spaces and brackets.
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return []


def _peak(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
