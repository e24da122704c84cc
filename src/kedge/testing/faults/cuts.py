"""Faults in the way there and back: lost, refused, done but told otherwise, sent twice."""

from dataclasses import dataclass

from kedge.testing.faults.answer import Answer, Cut, Forward
from kedge.testing.faults.call import Call
from kedge.testing.faults.replies import Reply
from kedge.testing.faults.wire import Pieces


@dataclass(frozen=True)
class LoseRequest:
    """The connection ends before the server gets the request."""

    reset: bool = False
    """Break it off (RST) instead of closing it."""

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Cut."""
        raise Cut(self.reset)


@dataclass(frozen=True)
class LoseAnswer:
    """The server does it, and the connection ends before any of the answer is passed on."""

    reset: bool = False
    """Break it off (RST) instead of closing it."""

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, then cut."""
        await _done(call, await forward())
        raise Cut(self.reset)


@dataclass(frozen=True)
class CutBody:
    """The connection ends after the head and so many bytes of the body."""

    after: int = 0

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and cut the answer."""
        answer = await forward()
        # The client is promised the whole: the length or the chunks go on as they were.
        return answer.through(self._beginning, keep_length=True)

    async def _beginning(self, payload: Pieces) -> Pieces:
        left = self.after
        if left:
            async for piece in payload:
                yield piece[:left]
                left -= len(piece[:left])
                if not left:
                    raise Cut
        else:
            raise Cut


@dataclass(frozen=True)
class Refuse:
    """The server never hears of the request, and the client gets this answer."""

    reply: Reply

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Answer in place of the server."""
        return self.reply(call.request)


@dataclass(frozen=True)
class DoneBut:
    """The server does it, and the client gets this answer in place of the true one."""

    reply: Reply

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and tell something else."""
        await _done(call, await forward())
        return self.reply(call.request)


@dataclass(frozen=True)
class SendTwice:
    """The request reaches the server twice; the client gets the second answer.

    So it is when something on the way loses an answer and tries again.
    """

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, forget, forward."""
        await _done(call, await forward())
        return await forward()


async def _done(call: Call, answer: Answer) -> None:
    """Wait until the server has finished; the head of a watch is enough."""
    if not call.request.is_watch:
        await answer.read()
    await answer.close()
