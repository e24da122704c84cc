"""Stale reads: answers as they were earlier, after newer ones have been seen."""

from dataclasses import dataclass, field
from functools import partial

import msgspec

from kedge.kube.watch import INITIAL_EVENTS_END
from kedge.testing.faults.answer import Answer, Forward, answer_with, lines
from kedge.testing.faults.call import Call
from kedge.testing.faults.request import Request
from kedge.testing.faults.wire import Pieces

ASKED = ("labelSelector", "fieldSelector", "limit", "continue", "sendInitialEvents")
"""Parameters that tell apart what is asked for; the version that the client wants does not."""

KEPT = {200, 404}
"""An object that was not there yet is the past, too."""

Question = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Kept:
    status: int
    media: str
    body: bytes


def _question(request: Request) -> Question:
    asked = (request.query.get(name, "") for name in ASKED)
    return (request.path, request.headers.get("Accept"), *asked)


@dataclass
class Past:
    """Remembers answers to reads: `keep` and `serve` are the two faults.

    Lists, single objects, and the first events of a watch with sendInitialEvents are remembered.
    A watch that follows a stale list begins at the old version and tells the truth from there, as
    a server does that lags behind: the client sees the past again, up to the present.
    """

    _answers: dict[Question, list[_Kept]] = field(default_factory=dict)

    async def keep(self, call: Call, forward: Forward) -> Answer:
        """Pass the answer on, and remember it."""
        answer = await forward()
        if answer.status not in KEPT or call.request.is_write:
            return answer
        kept = self._answers.setdefault(_question(call.request), [])
        if not call.request.is_watch:
            media = answer.headers.get("Content-Type")
            kept.append(_Kept(answer.status, media, await answer.read()))
        elif _has_beginning(call.request):
            answer.through(lines).through(partial(_remembering, kept))
        return answer

    async def serve(self, call: Call, forward: Forward) -> Answer:
        """Give the oldest answer to the same question; where there is none, the true one."""
        kept = self._answers.get(_question(call.request))
        if not kept or call.request.is_write:
            return await forward()
        old = kept[0]
        if not call.request.is_watch:
            return answer_with(old.status, old.body, old.media)
        call.sending = call.sending.asking(
            resourceVersion=_version(old.body), sendInitialEvents=None, resourceVersionMatch=None
        )
        answer = await forward()
        return (
            answer.through(partial(_beginning_with, old.body)) if answer.status == 200 else answer
        )

    def forget(self) -> None:
        """Begin anew: what is kept next is the oldest."""
        self._answers.clear()


def _has_beginning(request: Request) -> bool:
    return request.query.get("sendInitialEvents") == "true"


async def _remembering(kept: list[_Kept], payload: Pieces) -> Pieces:
    beginning: list[bytes] = []
    is_over = False
    async for line in payload:
        if not is_over:
            beginning.append(line)
            if INITIAL_EVENTS_END.encode() in line:
                is_over = True
                kept.append(_Kept(200, "", b"".join(beginning)))
        yield line


async def _beginning_with(beginning: bytes, payload: Pieces) -> Pieces:
    yield beginning
    async for piece in payload:
        yield piece


def _version(beginning: bytes) -> str:
    bookmark = msgspec.json.decode(beginning.rstrip(b"\n").rpartition(b"\n")[2])
    return str(bookmark["object"]["metadata"]["resourceVersion"])
