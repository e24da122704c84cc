"""Objects that are followed with a watch, on a server that a test makes up."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from kedge.aio.background import background
from kedge.api.velero.backup import BACKUP
from kedge.cli.following import (
    PATIENCE_SECONDS,
    PAUSE_SECONDS,
    STILL_THERE,
    states,
    until,
    until_gone,
)
from kedge.cli.meter import QUIET_SECONDS
from kedge.client import Selection, Unreachable
from kedge.client.decoders import Event
from kedge.client.lines import Failed
from kedge.client.responses import Page
from kedge.kube.errors import Expired, Forbidden, ServiceUnavailable
from kedge.testing import FakeClock

KIND = BACKUP.into(dict)
CHOSEN = Selection("velero", fields="metadata.name=a")


def one(version: str, name: str = "a") -> dict[str, Any]:
    return {"metadata": {"name": name, "resourceVersion": version}}


def event(kind: str, version: str, name: str = "a") -> Event[Any]:
    return Event(kind, one(version, name))


class Watched:
    """A watch that ends after its batches, or breaks off."""

    def __init__(self, batches: Sequence[Any]) -> None:
        self._batches = iter(batches)

    async def batch(self) -> Any:
        found: Any = next(self._batches, [])
        if isinstance(found, Exception):
            raise found
        return found


class Server:
    """Answers with what a test has prepared, in turn."""

    def __init__(self, lists: Sequence[Any], watches: Sequence[Any]) -> None:
        self.clock = FakeClock()
        self._lists = iter(lists)
        self._watches = iter(watches)
        self.versions: list[str] = []

    async def page(self, kind: Any, selection: Selection, size: int) -> Page[Any]:
        assert (kind, selection, size) == (KIND, CHOSEN, 0)
        found = next(self._lists)
        if isinstance(found, Exception):
            raise found
        return Page(found, str(len(found)))

    @asynccontextmanager
    async def watch(self, kind: Any, selection: Selection, following: Any) -> AsyncIterator[Any]:
        self.versions.append(following.version)
        found = next(self._watches)
        if isinstance(found, Exception):
            raise found
        yield Watched(found)


async def seen(server: Server, count: int) -> list[dict[str, str]]:
    """Give the versions of so many states, while time passes."""
    found: list[dict[str, str]] = []

    async def passing() -> None:
        while True:
            await server.clock.slept()
            server.clock.advance(timedelta(seconds=0.5))

    async with background(passing()), aclosing(states(server, KIND, CHOSEN)) as following:  # type: ignore[arg-type]
        async for state in following:
            found.append({n: o["metadata"]["resourceVersion"] for n, o in state.items()})
            if len(found) == count:
                break
    return found


@pytest.mark.asyncio
async def test_each_change_is_given() -> None:
    batches = [[event("MODIFIED", "2"), event("MODIFIED", "3")], [event("ADDED", "4", "b")]]
    batches += [[event("BOOKMARK", "5")], [event("DELETED", "6")]]
    server = Server([[one("1")]], [batches])
    assert await seen(server, 5) == [
        {"a": "1"},
        {"a": "3"},
        {"a": "3", "b": "4"},
        {"a": "3", "b": "4"},
        {"b": "4"},
    ]
    assert server.versions == ["1"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "end",
    [
        [],
        [Unreachable("away")],
        [[Failed({"code": 410})]],
        Expired("too old"),
        Forbidden("no watch for you"),
        Unreachable("away"),
    ],
)
async def test_after_the_end_of_a_watch_it_looks_again(end: Any) -> None:
    server = Server([[one("1")], [one("2")], []], [end, end, end])
    assert await seen(server, 3) == [{"a": "1"}, {"a": "2"}, {}]


@pytest.mark.asyncio
@pytest.mark.parametrize("away", [Unreachable("away"), ServiceUnavailable("away")])
async def test_a_server_that_was_there_is_waited_for(away: Exception) -> None:
    server = Server([[one("1")], away, away, away, [one("2")]], [[], []])
    assert await seen(server, 2) == [{"a": "1"}, {"a": "2"}]


@pytest.mark.asyncio
async def test_patience_has_an_end() -> None:
    away = [Unreachable("away")] * (int(PATIENCE_SECONDS / 0.5) + 2)
    server = Server([[one("1")], *away], [[], []])
    with pytest.raises(BaseExceptionGroup) as failed:
        await seen(server, 2)
    assert failed.group_contains(Unreachable)
    assert server.clock.monotonic() > PATIENCE_SECONDS


@pytest.mark.asyncio
@pytest.mark.parametrize("failure", [Unreachable("away"), Forbidden("not for you")])
async def test_what_fails_at_once_fails(failure: Exception) -> None:
    with pytest.raises(BaseExceptionGroup) as failed:
        await seen(Server([failure], []), 1)
    assert failed.group_contains(type(failure))


@pytest.mark.asyncio
async def test_a_right_that_is_lost_is_not_waited_for() -> None:
    server = Server([[one("1")], Forbidden("no more")], [[]])
    with pytest.raises(BaseExceptionGroup) as failed:
        await seen(server, 2)
    assert failed.group_contains(Forbidden)


def grown(version: str, uid: str = "1") -> dict[str, Any]:
    """Give one object, with all that it is followed by."""
    meta = {"name": "a", "namespace": "velero", "uid": uid, "resourceVersion": version}
    return {"metadata": meta}


@pytest.mark.asyncio
async def test_one_object_is_shown_until_there_is_an_answer() -> None:
    batches = [[Event("MODIFIED", grown("2"))], [Event("MODIFIED", grown("3"))]]
    server = Server([[grown("1")]], [batches])
    shown = []

    def look(found: dict[str, Any] | None) -> str | None:
        assert found is not None
        shown.append(found["metadata"]["resourceVersion"])
        return "enough" if shown[-1] == "2" else None

    assert await until(server, KIND, grown("1"), look) == "enough"  # type: ignore[arg-type]
    assert shown == ["1", "2"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "last",
    [
        pytest.param(Event("DELETED", grown("2")), id="it is gone"),
        pytest.param(Event("MODIFIED", grown("2", uid="2")), id="another has its name"),
    ],
)
async def test_an_object_that_is_not_there_any_more_is_shown_as_none(last: Any) -> None:
    server = Server([[grown("1")]], [[[last]]])
    shown: list[bool] = []

    def look(found: dict[str, Any] | None) -> list[str] | None:
        shown.append(found is not None)
        return [] if found is None else None

    assert await until(server, KIND, grown("1"), look) == []  # type: ignore[arg-type]
    assert shown == [True, False]


@pytest.mark.asyncio
@pytest.mark.parametrize(("phase", "told"), [("", f"kedge: {STILL_THERE}\n"), ("Deleting", "")])
async def test_one_that_nobody_begins_to_delete_is_wondered_about(
    capsys: pytest.CaptureFixture[str], phase: str, told: str
) -> None:
    held = one("1") | {"status": {"phase": phase}}
    server = Server([[held], [held], []], [[], []])

    async def passing() -> None:
        await server.clock.slept(lambda delays: QUIET_SECONDS in delays)
        server.clock.advance(timedelta(seconds=QUIET_SECONDS))
        await server.clock.slept(lambda delays: PAUSE_SECONDS in delays)
        server.clock.advance(timedelta(seconds=PAUSE_SECONDS))

    made = {"metadata": {"name": "a", "namespace": "velero"}}
    async with background(passing()):
        gone = await until_gone(server, KIND, made, lambda found: found is None or None)  # type: ignore[arg-type]
    assert gone
    assert capsys.readouterr().err == told
