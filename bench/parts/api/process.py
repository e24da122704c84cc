"""What the kernel knows about a server's processes: CPU time and the peak of memory."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(roots: Iterable[int]) -> float:
    """Give the CPU time that the processes and their children took so far, in user and kernel."""
    return sum(sum(map(int, stat(pid)[11:13])) for pid in family(roots)) / TICKS


def peak_bytes(roots: Iterable[int]) -> int:
    """Add up the most resident memory that each process ever had (VmHWM)."""
    return sum(peak(pid) for pid in family(roots))


def family(roots: Iterable[int]) -> Iterator[int]:
    """List the processes and all that descend from them."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (told := stat(int(entry.name))):
            children.setdefault(int(told[1]), []).append(int(entry.name))
    todo = list(roots)
    while todo:
        pid = todo.pop()
        yield pid
        todo += children.get(pid, [])


def stat(pid: int) -> list[str]:
    """Read what the kernel tells of a process; nothing once it is gone."""
    # Fields from the state on: the name before it may hold spaces and brackets.
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def peak(pid: int) -> int:
    """Read the most resident memory that a process ever had."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
