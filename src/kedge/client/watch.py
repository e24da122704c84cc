"""Follows the changes of a collection: a stream of bytes in, batches of events out."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from kedge.client.lines import Item, Lines, read_events
from kedge.client.stream import Stream
from kedge.kube.kind import Kind

T = TypeVar("T")


class Watch(Generic[T]):
    """Events as they come; for one reader."""

    __slots__ = ("_kind", "_lines", "_stream")

    def __init__(self, kind: Kind[T], stream: Stream) -> None:
        """Read the events of a kind from the body of an answer."""
        self._kind = kind
        self._stream = stream
        self._lines = Lines()

    async def batch(self) -> Sequence[Item[T]]:
        """Wait for events and take all there are; none: the server has ended the watch.

        Raises Disconnected where it breaks off, BadAnswer at what is no event.
        """
        while True:
            piece = await self._stream.read()
            if not piece:
                return []
            lines = self._lines.feed(piece)
            if lines:
                return read_events(self._kind, lines)

    def abort(self) -> None:
        """Break the connection off; whoever waits for a batch gets Disconnected or the end."""
        self._stream.abort()
