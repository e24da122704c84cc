"""One sleep until an instant of the clock on the wall, which a signal ends at once."""

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

CLOEXEC = 0o2000000
ABSOLUTE = 1
NANOSECONDS = 10**9


def hold_until(instant: datetime) -> None:
    """Sleep until an instant; what a handler of a signal raises gets out at once."""
    seconds = instant.timestamp()
    with _signals() as signals, _closing(_timer(seconds)) as timer:
        if timer is None:
            _sleep(seconds, signals)
            return
        while timer not in select.select([timer, signals], [], [])[0]:
            os.read(signals, 64)


def _sleep(until: float, signals: int) -> None:
    """Sleep where no timer follows the clock: a clock that was put back is slept for again."""
    while (left := until - time.clock_gettime(time.CLOCK_REALTIME)) > 0:
        if select.select([signals], [], [], left)[0]:
            os.read(signals, 64)


@contextmanager
def _signals() -> Iterator[int]:
    """Give what can be read from once a signal came, were it just before the sleep."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    before = signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    try:
        yield ours
    finally:
        signal.set_wakeup_fd(before)
        os.close(ours)
        os.close(theirs)


@contextmanager
def _closing(file: int | None) -> Iterator[int | None]:
    try:
        yield file
    finally:
        if file is not None:
            os.close(file)


def _timer(until: float) -> int | None:
    """Make a timer that goes off when the clock shows a time, also after it was set; Linux only."""
    if sys.platform != "linux":
        return None
    try:
        import ctypes

        libc = ctypes.CDLL(None)
        file: int = libc.timerfd_create(time.CLOCK_REALTIME, CLOEXEC)
    except (ImportError, OSError, AttributeError):
        return None
    if file < 0:
        return None
    whole = int(until)
    at = (ctypes.c_long * 4)(0, 0, whole, int((until - whole) * NANOSECONDS))
    if libc.timerfd_settime(file, ABSOLUTE, ctypes.byref(at), None) < 0:
        os.close(file)
        return None
    return file
