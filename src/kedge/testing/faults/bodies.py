"""Faults in the bytes of an answer: garbage, a part of the body, a length that is not true."""

from dataclasses import dataclass

from kedge.testing.faults.answer import Answer, Forward
from kedge.testing.faults.call import Call
from kedge.testing.faults.wire import Pieces

GARBAGE = bytes(range(256))
"""No UTF-8, no JSON, no HTTP; and the same in each run."""


@dataclass(frozen=True)
class GarbageBody:
    """The head is true, and the body is not what the server sent."""

    body: bytes = GARBAGE

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and change the body."""
        answer = await forward()
        if not call.request.is_watch:
            await answer.read()
        return answer.with_body(self.body)


@dataclass(frozen=True)
class GarbageAnswer:
    """In place of the answer come bytes that are no HTTP, and the connection ends."""

    data: bytes = GARBAGE

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and change everything."""
        answer = await forward()
        if not call.request.is_watch:
            await answer.read()
        answer.closes = True
        return answer.over(self._instead)

    async def _instead(self, wire: Pieces) -> Pieces:
        yield self.data


@dataclass(frozen=True)
class TruncateBody:
    """The body is only its beginning, by default half, with the length that goes with it."""

    keep: int | None = None

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and shorten the body."""
        answer = await forward()
        body = await answer.read()
        return answer.with_body(body[: len(body) // 2 if self.keep is None else self.keep])


@dataclass(frozen=True)
class WrongLength:
    """Content-Length is not the length of the body.

    Larger by `by`, it promises bytes that never come: the connection ends. Smaller (`by` is
    negative), the rest of the body stands where the next answer should.
    """

    by: int = 1

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and lie about the length."""
        answer = await forward()
        length = max(0, len(await answer.read()) + self.by)
        answer.headers = answer.headers.replaced("Content-Length", str(length))
        # Without a word about it: the client is to find out.
        answer.breaks = self.by > 0
        return answer
