"""Work on big bodies, done beside the event loop: nobody else waits for it."""

import asyncio
import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

BIG = 64 * 1024
"""Bytes from which on a body is worth a thread: it may take as long as a thousand others."""

P = ParamSpec("P")
T = TypeVar("T")


class Quiet:
    """Keeps Python from searching for cycles while it has millions of objects of one request.

    That search stops all threads. It is of the process, and so there is one of this.
    """

    def __init__(self) -> None:
        """Change nothing."""
        self._requests = 0
        self._was_enabled = False

    @contextmanager
    def during(self, weight: int) -> Iterator[None]:
        """Keep quiet while something of such a weight in bytes is worked on."""
        if weight < BIG:
            yield
            return
        if not self._requests:
            self._was_enabled = gc.isenabled()
            gc.disable()
        self._requests += 1
        try:
            yield
        finally:
            self._requests -= 1
            if not self._requests and self._was_enabled:
                gc.enable()


quiet = Quiet()


class Aside:
    """Two threads: big bodies wait for each other, and for nobody else."""

    def __init__(self) -> None:
        """Start nothing until there is work."""
        self._threads = ThreadPoolExecutor(2, "big-body")

    async def __call__(
        self, weight: int, work: Callable[P, T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Do the work: here, or in a thread if what it is about has such a weight in bytes."""
        if weight < BIG:
            return work(*args, **options)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: work(*args, **options))

    def close(self) -> None:
        """Take no more work; what has begun is of no use to anyone."""
        self._threads.shutdown(wait=False, cancel_futures=True)
