"""Reads what a container has said, line by line."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kedge.client.http import Transport
from kedge.client.lines import Lines
from kedge.client.requests import Request
from kedge.kube.kind import plain

PODS: Final = plain("v1", "Pod", "pods")
TEXT: Final = "text/plain,application/json"
"""A log is text; what goes wrong is a Status."""


@dataclass(frozen=True, slots=True)
class Log:
    """Which part of what a container has said."""

    container: str | None = None
    """None: the only one, or the one that the pod names as its default."""
    follow: bool = False
    """Wait for more, until the container ends."""
    previous: bool = False
    """What the container said that was there before it was started anew."""
    since_seconds: int | None = None
    since_time: datetime | None = None
    tail_lines: int | None = None
    """No more than so many lines of the end."""
    timestamps: bool = False
    """Begin each line with its time."""
    limit_bytes: int | None = None
    """About so many bytes, and then no more."""

    def request(self, name: str, namespace: str) -> Request:
        """Ask for it."""
        self._check()
        query = {
            "container": self.container,
            "sinceSeconds": _number(self.since_seconds),
            "sinceTime": None if self.since_time is None else self.since_time.isoformat(),
            "tailLines": _number(self.tail_lines),
            "limitBytes": _number(self.limit_bytes),
            "follow": "true" if self.follow else None,
            "previous": "true" if self.previous else None,
            "timestamps": "true" if self.timestamps else None,
        }
        given = {key: value for key, value in query.items() if value is not None}
        path = PODS.path(name, namespace, "log")
        return Request("GET", path, given, accept=TEXT, repeatable=True)

    def _check(self) -> None:
        if self.since_seconds is not None and self.since_time is not None:
            raise ValueError("since_seconds and since_time exclude each other; leave out one")
        if self.since_time is not None and self.since_time.tzinfo is None:
            raise ValueError("since_time needs a time zone")
        least = {"since_seconds": 1, "tail_lines": 0, "limit_bytes": 1}
        for field, bound in least.items():
            value = getattr(self, field)
            if value is not None and value < bound:
                raise ValueError(f"{field} is {value}; it must be at least {bound}")


async def lines(
    transport: Transport, name: str, namespace: str, log: Log
) -> AsyncGenerator[bytes, None]:
    r"""Give line after line without its `\n`; raises Disconnected where the connection breaks."""
    parts = Lines()
    # Of a container that says nothing, the answer does not even begin.
    async with transport.open(log.request(name, namespace), is_late=log.follow) as stream:
        while piece := await stream.read():
            for line in parts.feed(piece).split(b"\n")[:-1]:
                yield line
    if rest := parts.rest():
        yield rest


def _number(value: int | None) -> str | None:
    return None if value is None else str(value)
