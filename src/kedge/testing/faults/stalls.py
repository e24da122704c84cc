"""Faults in time and order: silence on open connections, and answers that wait for events."""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from kedge.aio.clock import Clock, SystemClock
from kedge.aio.turn import turn
from kedge.testing.faults.answer import Answer, Forward, by_event
from kedge.testing.faults.call import Call
from kedge.testing.faults.request import Matcher
from kedge.testing.faults.rules import matches
from kedge.testing.faults.wire import Pieces


class _Releasable:
    """Something that waits until it is released, or for ever."""

    def __init__(self) -> None:
        self._released = asyncio.Event()

    def release(self) -> None:
        """Go on."""
        self._released.set()


class StallRequest(_Releasable):
    """The request does not reach the server until `release()`; the connection stays open."""

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Wait, then forward."""
        await self._released.wait()
        return await forward()


class StallAnswer(_Releasable):
    """The server does it; the answer stops until `release()`, the connection stays open.

    It stops before its first byte; with `events` after so many events of a watch, with `body`
    after the head and so many bytes of the body. Never released, it is silence for ever.
    """

    def __init__(self, *, events: int | None = None, body: int | None = None) -> None:
        """Choose the place."""
        super().__init__()
        if events is not None and body is not None:
            raise ValueError("a stall is after events or after bytes of the body, not both")
        self._events = events
        self._body = body

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and hold up the answer."""
        answer = await forward()
        if self._events is not None:
            return by_event(call, answer, self._after_events)
        if self._body is not None:
            return answer.through(self._after_bytes, keep_length=True)
        if not call.request.is_watch:
            await answer.read()
        await self._released.wait()
        return answer

    async def _after_events(self, payload: Pieces) -> Pieces:
        left = self._events or 0
        if not left:
            await self._released.wait()
        async for line in payload:
            yield line
            left -= 1
            if not left:
                await self._released.wait()

    async def _after_bytes(self, payload: Pieces) -> Pieces:
        left = self._body or 0
        async for piece in payload:
            if left:
                yield piece[:left]
            rest, left = piece[left:], max(0, left - len(piece))
            if not left:
                await self._released.wait()
            if rest:
                yield rest


@dataclass(frozen=True)
class Slow:
    """The answer drips: so many bytes at a time, and a pause by the clock after each."""

    size: int = 1
    seconds: float = 0.001
    clock: Clock = SystemClock()  # noqa: RUF009 - it has no state

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and slow the answer down."""
        return (await forward()).over(self._dripping)

    async def _dripping(self, wire: Pieces) -> Pieces:
        async for piece in wire:
            for start in range(0, len(piece), self.size):
                yield piece[start : start + self.size]
                await self.clock.sleep(self.seconds)


@dataclass(frozen=True)
class Split:
    """Each byte of the answer, its head included, is a write of its own; or `size` bytes are."""

    size: int = 1

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and split the answer."""
        return (await forward()).over(self._apart)

    async def _apart(self, wire: Pieces) -> Pieces:
        async for piece in wire:
            for start in range(0, len(piece), self.size):
                yield piece[start : start + self.size]
                # A client in the same loop reads it in the next turn: after this task, then.
                await turn()
                await turn()


@dataclass(frozen=True)
class AnswerFirst:
    """The answer to a write arrives before any event that the write causes."""

    watches: Matcher = matches(watch=True)  # noqa: RUF009 - it has no state

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Hold the watches back until the answer is passed on."""
        hold = call.traffic.hold(self.watches)
        call.when_over(hold.release)
        answer = await forward()
        await answer.read()
        return answer


@dataclass(frozen=True)
class EventFirst:
    """The answer to a write arrives after the event that the write causes.

    It waits for the open watches that get that event, and not at all where there are none.
    """

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Hold the answer back until watches have passed its version."""
        answer = await forward()
        metadata = _metadata(await answer.read())
        version = metadata.get("resourceVersion", "")
        if answer.status < 300 and version.isdigit():
            is_told = partial(_is_told, call, metadata, int(version))
            await call.traffic.signal.until(is_told, None)
        return answer


def _is_told(call: Call, metadata: dict[str, Any], version: int) -> bool:
    watches = (one for one in call.traffic.calls if one.sees(call.request, metadata))
    return all(watch.position >= version for watch in watches)


def _metadata(body: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(body)["metadata"]
    except (msgspec.DecodeError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}
