"""Requests that go out one behind the other on one connection, and their answers."""

import asyncio
from collections import deque
from typing import Final

from kedge.client.answer import Answer
from kedge.client.connection import TICK_SECONDS, Connection
from kedge.client.errors import BadAnswer, Disconnected
from kedge.client.words import words

LONGEST_REST_SECONDS: Final = 0.3
SURE: Final = 0.7
"""Of the time that the last answers took: a server that was slow once may be fast again."""


class Exchange:
    """Hears the answers to what was asked; raises nothing, the waiter is told."""

    def __init__(self, count: int) -> None:
        """Expect so many answers."""
        self.answers = [Answer() for _ in range(count)]
        loop = asyncio.get_running_loop()
        self._due = deque(self.answers)
        self._waiter: asyncio.Future[None] = loop.create_future()
        self._now = loop.time
        self._began = loop.time()

    def hear(self, data: bytes) -> float:
        """Put the answers together; rest while the others will be coming, by what these took.

        Nobody has use for one before all are there, and to hear them together costs a fraction.
        """
        if not self._due:
            self.answers[-1].feed(data)  # more than was asked for: it does not keep
            return 0.0
        try:
            self._part(data)
        except BadAnswer as exc:
            self._settle(exc)
            return 0.0
        if not self._due:
            self._settle()
            return 0.0
        heard = len(self.answers) - len(self._due)
        if not heard:
            return 0.0
        passed = self._now() - self._began
        # What is known of a short time is not good for a longer one.
        return min(passed / heard * len(self._due), passed, LONGEST_REST_SECONDS)

    def end(self, why: BaseException | None) -> None:
        """Take the end of the connection for that of the last answer, or for a failure."""
        if not self._due:
            return
        try:
            is_whole = why is None and self._due.popleft().end()
        except BadAnswer as exc:
            self._settle(exc)
            return
        if is_whole and not self._due:
            self._settle()
            return
        text = words(why) if why is not None else "it was closed"
        self._settle(Disconnected(f"the connection broke: {text}"))

    async def wait(self) -> float:
        """Wait for all answers, and give what each took; raises Disconnected or BadAnswer."""
        await self._waiter
        return (self._now() - self._began) / len(self.answers)

    def _part(self, data: bytes) -> None:
        """Give each answer what is of it; the last gets all that is left."""
        start = 0
        while True:
            answer = self._due[0]
            end = answer.take(data, start)
            if end:
                start = end
            elif answer.feed(data[start:]):
                data, start = answer.rest(), 0
            else:
                return
            self._due.popleft()
            if not self._due:
                answer.feed(data[start:])
                return

    def _settle(self, failure: Exception | None = None) -> None:
        if self._waiter.done():
            return
        if failure is None:
            self._waiter.set_result(None)
        else:
            self._waiter.set_exception(failure)


async def ask(connection: Connection, data: bytes, count: int) -> list[Answer]:
    """Send so many requests, and give the answers; raises Disconnected or BadAnswer.

    Where anything else happens the connection is closed: an answer may still be on its way.
    """
    exchange = Exchange(count)
    is_done = False
    try:
        connection.say(data, exchange)
        if count > 1:
            sure = SURE * connection.each_seconds * count
            connection.rest(min(max(sure, TICK_SECONDS), LONGEST_REST_SECONDS))
        each = await exchange.wait()
        is_done = exchange.answers[-1].keeps
        if count > 1:
            connection.each_seconds = each
    finally:
        connection.leave()
        if not is_done:
            connection.close()
    return exchange.answers
