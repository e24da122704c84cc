"""The body of an answer as it comes: watches and logs."""

import asyncio
from collections.abc import Callable
from math import inf
from typing import Final, Protocol

from kedge.client.answer import Answer
from kedge.client.connection import Connection
from kedge.client.errors import BadAnswer, Disconnected
from kedge.client.words import words

UNREAD: Final = 2**20
"""So many bytes that nobody has read are kept; what is beyond waits at the server."""
LITTLE: Final = 2**17
"""Bytes: where more than this has come at once, the server is not to wait for who reads."""
CHUNKS_PER_SECOND: Final = 25.0
BURST: Final = 10
"""A stream that brings more than this is fast."""


class Stream(Protocol):
    """The body of an answer, as it comes."""

    @property
    def code(self) -> int:
        """The code of the answer."""

    async def read(self) -> bytes:
        """Wait for bytes and take all there are; none: it has ended.

        Raises Disconnected where it breaks off.
        """

    def abort(self) -> None:
        """Break the connection off; whoever reads gets Disconnected or the end."""

    def close(self) -> None:
        """Read no more; without a farewell, for which nobody would wait."""


class Pace:
    """Knows whether a stream brings much; a bucket that leaks."""

    __slots__ = ("_level", "_seen")

    def __init__(self) -> None:
        """Begin with an empty bucket."""
        self._level = 0.0
        self._seen = 0.0

    def is_fast(self, now: float, chunks: int) -> bool:
        """Take note of so many chunks, and tell whether more come than are heard one by one."""
        leaked = (now - self._seen) * CHUNKS_PER_SECOND
        # It never holds more than two bursts: a stream that becomes slow is soon known to be.
        self._level = min(max(0.0, self._level - leaked) + chunks, 2.0 * BURST)
        self._seen = now
        return self._level > BURST


class Flow:
    """An answer that goes on for a while, on a connection of our own; for one reader."""

    def __init__(
        self,
        connection: Connection,
        done: Callable[[Connection], None],
        patience: Callable[[], float],
    ) -> None:
        """Wait for the head; `done` gets the connection back, once.

        A stream that is fast is heard after as many seconds as there is patience for: it brings
        back what we write ourselves, and to wake up for each event costs more than to read it.
        """
        self.answer = Answer()
        """As far as it is there."""
        self._connection = connection
        self._done = done
        self._patience = patience
        self._is_over = False
        self._pace = Pace()
        self._now = asyncio.get_running_loop().time
        self._unread = 0
        self._failure: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None

    @property
    def code(self) -> int:
        """The code of the answer."""
        return self.answer.code

    def hear(self, data: bytes) -> float:
        """Take what has come; rest where nobody reads it, or where much comes bit by bit."""
        before = self.answer.chunks
        try:
            self.answer.feed(data)
        except BadAnswer as exc:
            self._failure = exc
        self._unread += len(data)
        self._wake()
        if self._unread > UNREAD:
            return inf
        is_fast = self._pace.is_fast(self._now(), self.answer.chunks - before)
        return self._patience() if is_fast and len(data) < LITTLE else 0.0

    def end(self, why: BaseException | None) -> None:
        """Take the end of the connection for that of the answer, or for a failure."""
        if why is not None or not self.answer.end():
            text = words(why) if why is not None else "it was closed"
            self._failure = self._failure or Disconnected(f"the stream broke off: {text}")
        self._wake()

    async def begun(self) -> None:
        """Wait for the head; raises Disconnected or BadAnswer."""
        while not self.answer.has_begun:
            await self._more()

    async def whole(self) -> None:
        """Wait for all of it, and leave it unread; raises Disconnected or BadAnswer."""
        while not self.answer.is_whole:
            await self._more()
        self.close()

    async def read(self) -> bytes:
        """Wait for bytes and take all there are; none: it has ended."""
        while not (data := self.answer.drain()):
            if self.answer.is_whole:
                self.close()
                break
            await self._more()
        return data

    def abort(self) -> None:
        """Break the connection off; whoever reads gets Disconnected."""
        self._connection.close()

    def close(self) -> None:
        """Read no more, and give back the connection."""
        if self._is_over:
            return
        self._is_over = True
        self._connection.leave()
        if not (self.answer.is_whole and self.answer.keeps):
            self._connection.close()
        self._done(self._connection)

    async def _more(self) -> None:
        """Wait until more has come."""
        if self._failure is not None:
            raise self._failure
        if self._unread > UNREAD:
            self._connection.listen()
        self._unread = 0
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
