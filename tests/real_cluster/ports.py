"""Ports for programs that must be told theirs before they start."""

import itertools
import os
import socket

LOOPBACK = "127.0.0.1"
FIRST, LAST = 15000, 32000
"""Below the ports that systems give to outgoing connections, so that none is taken in between."""
_STEP = 211  # far enough apart for all that one process of tests asks for at a time

_CHOICES = itertools.cycle(range(FIRST, LAST))
_BEGIN = os.getpid() * _STEP % (LAST - FIRST)
_TURNS = itertools.islice(_CHOICES, _BEGIN, None)


def free_port() -> int:
    """Take a port that nobody listens on, and that this process has not given away of late."""
    return next(port for port in itertools.islice(_TURNS, LAST - FIRST) if _is_free(port))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
