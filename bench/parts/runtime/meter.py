"""What a contestant measures in its own process: wall time, CPU time and the peak of memory."""

import asyncio
import gc
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time


@dataclass(frozen=True)
class Measured:
    """So many things, the seconds and CPU seconds they took, and the memory before and at most."""

    count: int
    seconds: float
    cpu_seconds: float
    start_bytes: int
    peak_bytes: int

    @property
    def rate(self) -> float:
        """Give the things per second."""
        return self.count / self.seconds

    @property
    def cpu_rate(self) -> float:
        """Give the things per second of CPU time."""
        return self.count / self.cpu_seconds


class Meter:
    """Begins when it is made; forgets the peak of memory that the imports made."""

    def __init__(self) -> None:
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # sets the peak to what is resident now
        self._bytes = _status("VmRSS")
        self._cpu, self._begin = process_time(), perf_counter()

    def again(self) -> None:
        """Take the time from here; the memory at the start stays what it was."""
        self._cpu, self._begin = process_time(), perf_counter()

    def read(self, count: int) -> Measured:
        """Give what was taken until now."""
        took, cpu = perf_counter() - self._begin, process_time() - self._cpu
        return Measured(count, took, cpu, self._bytes, _status("VmHWM"))


class Counter:
    """Takes the time from the first thing to the last, so that what comes before is left out."""

    def __init__(self, count: int) -> None:
        self._meter = Meter()
        self._count = count
        self._seen = 0
        self._measured: Measured | None = None

    def tick(self) -> bool:
        """Count one thing; tell whether it was the last."""
        self._seen += 1
        if self._seen == 1:
            self._meter.again()
        elif self._seen == self._count:
            self._measured = self._meter.read(self._count - 1)
        return self._seen >= self._count

    def measured(self) -> Measured:
        """Give what was taken; the last thing must have come."""
        if self._measured is None:
            raise RuntimeError(f"the stream ended after {self._seen} of {self._count}")
        return self._measured


class Calls:
    """Counts calls of an empty handler, and wakes whoever waits for the last of so many."""

    def __init__(self) -> None:
        self._seen = 0
        self._wanted = 0
        self._reached = asyncio.Event()

    def one(self) -> None:
        """Count a call."""
        self._seen += 1
        if self._seen == self._wanted:
            self._reached.set()

    async def reach(self, total: int) -> None:
        """Wait until there were so many since the beginning."""
        self._wanted = total
        if self._seen < total:
            self._reached.clear()
            await self._reached.wait()


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)
