"""The event loop of a process that serves: fast where it can be, and ended by a signal."""

import asyncio
import gc
import signal
from collections.abc import Coroutine
from typing import Any

COLLECT = (50_000, 20, 100)
"""Thresholds of the garbage collector: the usual ones double the cost of big lists."""


def run_loop(main: Coroutine[Any, Any, None], *, fast: bool = True) -> None:
    """Run a coroutine to its end; `fast` with uvloop, where it is installed."""
    gc.set_threshold(*COLLECT)
    with asyncio.Runner(loop_factory=_loop_factory() if fast else None) as runner:
        runner.run(main)


def stop_signal() -> asyncio.Event:
    """Give an event that SIGTERM and Ctrl-C set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


def _loop_factory() -> "type[asyncio.AbstractEventLoop] | None":
    """Give the loop of the extra `kedge[speed]`, if it is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.Loop
