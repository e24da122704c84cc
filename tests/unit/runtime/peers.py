"""A server that does as a test has written down, and a clock that does not wait."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import msgspec

from kedge.aio.backoff import Backoff
from kedge.aio.turn import turn
from kedge.client import Disconnected, Following, Page, Selection
from kedge.client.decoders import Event
from kedge.client.lines import Failed, Item
from kedge.kube.errors import ApiError
from kedge.kube.kind import Kind, plain
from kedge.kube.watch import INITIAL_EVENTS_END
from kedge.runtime.outputs import Batch, Output, Restarted, Synced
from kedge.runtime.watcher import WatchSettings
from kedge.testing import FakeClock

Raw = msgspec.Raw
Batches = Sequence[Sequence[Item[Raw]] | Exception]
BOAT = plain("v1", "ConfigMap", "configmaps")
STEADY = Backoff(first=1.0, most=8.0, jitter=0.0)
SETTINGS = WatchSettings(page=2, backoff=STEADY, silence_seconds=310.0)
END: Sequence[Item[Raw]] = ()
"""The server ends the watch."""


class QuickClock(FakeClock):
    """Every sleep passes at once, and is remembered."""

    def __init__(self) -> None:
        super().__init__()
        self.naps: list[float] = []

    async def sleep(self, seconds: float) -> None:
        if seconds > 0:
            self.naps.append(seconds)
            self.advance(timedelta(seconds=seconds))
        await turn()


class Unwritten(BaseException):
    """Something was asked for that the test did not think of; no watcher survives it."""


class Script:
    """Answers one request after the other as written; `asked` tells what was asked for."""

    def __init__(self, *answers: Any) -> None:
        """Take a Page for a list, batches for a watch, or an exception for either."""
        self._answers = deque(answers)
        self.asked: list[str] = []
        self.opened = 0
        """Watches that are open."""

    async def page(self, kind: Kind[Raw], selection: Selection, size: int, token: str) -> Page[Raw]:
        self.asked.append(f"list {size} {token}".strip())
        answer = self._next()
        assert isinstance(answer, Page), "a list was asked for"
        return answer

    @asynccontextmanager
    async def watch(
        self, kind: Kind[Raw], selection: Selection, following: Following
    ) -> AsyncIterator["ScriptedWatch"]:
        self.asked.append("stream" if following.initial else f"watch {following.version}")
        answer = self._next()
        assert not isinstance(answer, Page), "a watch was asked for"
        self.opened += 1
        try:
            yield ScriptedWatch(answer)
        finally:
            self.opened -= 1

    def _next(self) -> Any:
        if not self._answers:
            raise Unwritten(self.asked[-1])
        answer = self._answers.popleft()
        if isinstance(answer, Exception):
            raise answer
        return answer


class ScriptedWatch:
    """Gives batches; after the last it is silent until it is broken off."""

    def __init__(self, batches: Batches) -> None:
        self._batches = deque(batches)
        self._aborted = asyncio.Event()

    async def batch(self) -> Sequence[Item[Raw]]:
        if not self._batches:
            await self._aborted.wait()
            raise Disconnected("broken off")
        batch = self._batches.popleft()
        if isinstance(batch, Exception):
            raise batch
        return batch

    def abort(self) -> None:
        self._aborted.set()


def boat(name: str, version: int | str, **more: Any) -> dict[str, Any]:
    """Make an object."""
    labels = more.pop("labels", {})
    meta = {"name": name, "namespace": "sea", "uid": more.pop("uid", f"uid-{name}")}
    return {"metadata": {**meta, "resourceVersion": str(version), "labels": labels}, **more}


def raw(obj: Any) -> Raw:
    """Write an object."""
    return Raw(msgspec.json.encode(obj))


def listed(version: int | str, *objects: dict[str, Any], token: str = "") -> Page[Raw]:
    """Make a page of a list."""
    return Page([raw(one) for one in objects], str(version), token)


def event(kind: str, obj: Any) -> Event[Raw]:
    """Make an event."""
    return Event(kind, raw(obj))


def added(name: str, version: int | str, **more: Any) -> Event[Raw]:
    """Tell of a new object."""
    return event("ADDED", boat(name, version, **more))


def modified(name: str, version: int | str, **more: Any) -> Event[Raw]:
    """Tell of a change."""
    return event("MODIFIED", boat(name, version, **more))


def deleted(name: str, version: int | str, **more: Any) -> Event[Raw]:
    """Tell of an end."""
    return event("DELETED", boat(name, version, **more))


def bookmark(version: int | str, *, is_end: bool = False) -> Event[Raw]:
    """Tell how far the watch has come."""
    annotations = {INITIAL_EVENTS_END: "true"} if is_end else {}
    return event(
        "BOOKMARK", {"metadata": {"resourceVersion": str(version), "annotations": annotations}}
    )


def failed(error: ApiError) -> Failed:
    """End a watch with an error."""
    return Failed(error.status)


def told(outputs: Sequence[Output]) -> list[str]:
    """Write down what a watcher tells."""
    lines: list[str] = []
    for output in outputs:
        match output:
            case Restarted():
                lines.append("restarted")
            case Synced():
                lines.append("synced")
            case Batch(events):
                lines += [_line(one) for one in events]
    return lines


def _line(one: Event[Raw]) -> str:
    meta = msgspec.json.decode(one.object)["metadata"]
    return f"{one.type} {meta['name']} {meta['resourceVersion']}"
