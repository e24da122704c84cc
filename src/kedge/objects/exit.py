"""The end of a process that has used obstore.

Threads of obstore let go of Python objects a moment after their caller has gone on. If Python
ends in that moment, the thread is ended in the middle of its work, and the process aborts (seen
in one of five processes that end right after a request). So the end waits for that moment.
"""

import atexit
import threading
from typing import Final

MOMENT: Final = 0.2
"""Seconds; what the threads have to do takes some thousandth of that."""


def _wait() -> None:
    threading.Event().wait(MOMENT)


def end_gently() -> None:
    """Let the end of this process wait for the threads of obstore; may be called often."""
    atexit.unregister(_wait)
    atexit.register(_wait)
