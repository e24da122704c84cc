"""Faults in the events of a watch: one comes twice, half, as an error, or as nonsense.

They do nothing to other requests, nor to a watch that is refused.
"""

from dataclasses import dataclass
from functools import partial

import msgspec

from kedge.kube.errors import ApiError
from kedge.kube.watch import ERROR, encode_event
from kedge.testing.faults.answer import Answer, Cut, Forward, by_event
from kedge.testing.faults.call import Call
from kedge.testing.faults.replies import expired_error
from kedge.testing.faults.wire import Pieces


@dataclass(frozen=True)
class CutEvent:
    """The connection ends in the middle of an event, after so many whole ones."""

    after: int = 0

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and cut the stream."""
        return by_event(call, await forward(), self._beginning)

    async def _beginning(self, payload: Pieces) -> Pieces:
        left = self.after
        async for line in payload:
            if not left:
                yield line[: len(line) // 2]
                raise Cut
            left -= 1
            yield line


@dataclass(frozen=True)
class EndWatch:
    """The watch ends after so many events, as when its time is up; with `cut` without an end."""

    after: int = 0
    cut: bool = False

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and end the stream."""
        return by_event(call, await forward(), self._beginning)

    async def _beginning(self, payload: Pieces) -> Pieces:
        left = self.after
        if left:
            async for line in payload:
                yield line
                left -= 1
                if not left:
                    break
        if self.cut:
            raise Cut


@dataclass(frozen=True)
class DuplicateEvent:
    """An event is delivered twice in a row: that with this index, or with None each one."""

    index: int | None = None

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and repeat events."""
        return by_event(call, await forward(), self._repeated)

    async def _repeated(self, payload: Pieces) -> Pieces:
        number = 0
        async for line in payload:
            yield line
            if self.index in {None, number}:
                yield line
            number += 1


@dataclass(frozen=True)
class ErrorEvent:
    """The watch ends with an ERROR event after so many events: 410 Expired, or another error."""

    after: int = 0
    error: ApiError | None = None

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and put the error into the stream."""
        error = self.error or expired_error(call.request)
        last = encode_event(ERROR, msgspec.json.encode(error.status))
        return by_event(call, await forward(), partial(self._failing, last))

    async def _failing(self, last: bytes, payload: Pieces) -> Pieces:
        left = self.after
        if left:
            async for line in payload:
                yield line
                left -= 1
                if not left:
                    break
        yield last


@dataclass(frozen=True)
class InsertLine:
    """A line that the server never sent stands in the stream after so many events."""

    line: bytes = b"\x00\xff not an event\n"
    after: int = 0

    async def __call__(self, call: Call, forward: Forward) -> Answer:
        """Forward, and put the line into the stream."""
        return by_event(call, await forward(), self._inserted)

    async def _inserted(self, payload: Pieces) -> Pieces:
        left = self.after
        if not left:
            yield self.line
        async for line in payload:
            yield line
            left -= 1
            if not left:
                yield self.line
