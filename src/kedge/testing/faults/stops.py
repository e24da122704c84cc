"""Hooks at each call, and the end of a client at one of them: for tests of crashes."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

from kedge.testing.faults.answer import Answer, Forward
from kedge.testing.faults.call import Call
from kedge.testing.faults.rules import every

Hook = Callable[[Call], Awaitable[None]]


@dataclass(frozen=True)
class Gate:
    """Asks before a request is sent on, and after the server has answered it.

    A hook may wait as long as it likes, or raise Cut. Any other exception ends the proxy and the
    test with it.
    """

    before: Hook | None = None
    after: Hook | None = None

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Ask, forward, ask."""
        if self.before is not None:
            await self.before(call)
        answer = await forward()
        if self.after is not None:
            if not call.request.is_watch:
                await answer.read()
            await self.after(call)
        return answer


class Side(Enum):
    """Where, at a call, a client ends."""

    BEFORE = "before"
    """The server never hears of it."""
    AFTER = "after"
    """The server did it, and the client never hears of it."""


class Stop:
    """The end of a client at its n-th matching call, counted from 0.

    From then on nothing passes in either direction, and no connection is closed: the client hears
    nothing more, and nothing that it still sends has any effect.
    """

    def __init__(self, at: int, side: Side) -> None:
        """Wait for the call with this number."""
        self.at = at
        self.side = side
        self.reached = asyncio.Event()
        self.call: Call | None = None
        """The call at which the client ended."""
        self._calls = 0

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Pass, or stop everything."""
        number, self._calls = self._calls, self._calls + 1
        if number < self.at:
            return await forward()
        if number > self.at:
            return await _never()
        # Before it is sent on: the client must not hear of the deed from a watch, either.
        call.traffic.hold(every)
        if self.side is Side.AFTER:
            answer = await forward()
            if not call.request.is_watch:
                await answer.read()
        self.call = call
        self.reached.set()
        return await _never()


async def _never() -> Answer:
    await asyncio.Event().wait()
    raise AssertionError
