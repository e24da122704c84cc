"""The load side by itself: a reader that only counts lines, and the button for a burst."""

import asyncio
import socket
import urllib.request
from urllib.parse import urlsplit

from parts.runtime.meter import Measured, Meter
from parts.runtime.task import Task

BUFFER = 1 << 20


async def events(task: Task) -> Measured:
    """Read a watch from a bare socket: no contestant can be faster."""
    url = urlsplit(task.config()[0]["server"])
    buffer, seen = bytearray(BUFFER), 0
    with socket.create_connection((url.hostname, url.port)) as connection:
        meter = Meter()
        connection.sendall(f"GET {task.path}?watch=1 HTTP/1.1\r\nHost: feed\r\n\r\n".encode())
        while seen < task.count:
            size = connection.recv_into(buffer)
            seen += buffer.count(b"}\n", 0, size)
        return meter.read(task.count)


async def burst(task: Task) -> None:
    """Let all objects of the namespace change at once."""
    url = task.config()[0]["server"] + task.path
    request = urllib.request.Request(url, data=b"", method="POST")
    await asyncio.to_thread(urllib.request.urlopen, request)
