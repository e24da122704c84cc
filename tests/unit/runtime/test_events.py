import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from kedge.aio.background import background
from kedge.aio.turn import turn
from kedge.client import Unreachable
from kedge.kube.errors import (
    AlreadyExists,
    ApiError,
    Forbidden,
    Invalid,
    ServiceUnavailable,
    TooManyRequests,
    not_found,
)
from kedge.kube.kind import Object, plain
from kedge.kube.meta import ObjectMeta, Partial
from kedge.runtime.entry import Meta
from kedge.runtime.events import NORMAL, WARNING, EventSettings, Recorder
from kedge.testing import FakeClock

BOAT: Object = {
    "apiVersion": "sea.example.com/v1",
    "kind": "Boat",
    "metadata": {"name": "ann", "namespace": "sea", "uid": "u-1", "resourceVersion": "7"},
}
CALLS = 30


class Sink:
    """Keeps events in memory, and fails when told to."""

    def __init__(self) -> None:
        self.events: dict[tuple[str, str], Object] = {}
        self.calls: list[str] = []
        self.fail: Callable[[str], Exception | None] = lambda verb: None
        self.hanging = asyncio.Event()
        self.hanging.set()

    async def _reach(self, verb: str) -> None:
        self.calls.append(verb)
        await turn()
        await self.hanging.wait()
        failure = self.fail(verb)
        if failure is not None:
            raise failure

    async def create(self, event: Object, namespace: str) -> None:
        await self._reach("create")
        key = (namespace, event["metadata"]["name"])
        if key in self.events:
            raise AlreadyExists("it is there")
        self.events[key] = event

    async def change(self, name: str, change: Object, namespace: str) -> None:
        await self._reach("change")
        if (namespace, name) not in self.events:
            raise not_found("", "events", name)
        self.events[namespace, name].update(change)

    @property
    def all(self) -> list[Object]:
        return list(self.events.values())


class Kit:
    def __init__(self, **bounds: Any) -> None:
        self.sink = Sink()
        self.clock = FakeClock()
        self.recorder = Recorder(
            self.sink, "kedge", EventSettings(**bounds), self.clock, draw=lambda: 0.5
        )

    async def settle(self) -> None:
        for _ in range(CALLS):
            await turn()


@asynccontextmanager
async def running(**bounds: Any) -> AsyncIterator[Kit]:
    kit = Kit(**bounds)
    async with background(kit.recorder.run()):
        yield kit


@pytest.mark.asyncio
async def test_an_event_has_what_kubectl_shows() -> None:
    async with running() as kit:
        kit.recorder.record(BOAT, NORMAL, "Sailed", "it sailed")
        await kit.settle()
        [event] = kit.sink.all
    name = event["metadata"].pop("name")
    prefix, _, digits = name.rpartition(".")
    assert prefix == "ann"
    assert int(digits, 16) == 1893456000 * 10**9
    assert event == {
        "metadata": {"namespace": "sea"},
        "involvedObject": {
            "apiVersion": "sea.example.com/v1",
            "kind": "Boat",
            "namespace": "sea",
            "name": "ann",
            "uid": "u-1",
            "resourceVersion": "7",
        },
        "type": "Normal",
        "reason": "Sailed",
        "message": "it sailed",
        "source": {"component": "kedge"},
        "reportingComponent": "kedge",
        "firstTimestamp": "2030-01-01T00:00:00Z",
        "lastTimestamp": "2030-01-01T00:00:00Z",
        "count": 1,
    }


@pytest.mark.asyncio
async def test_equal_events_are_one_object() -> None:
    async with running() as kit:
        for _ in range(3):
            kit.recorder.record(BOAT, WARNING, "Leaks", "water")
            await kit.settle()
            kit.clock.advance(timedelta(seconds=60))
        [event] = kit.sink.all
        assert event["count"] == 3
        assert event["firstTimestamp"] == "2030-01-01T00:00:00Z"
        assert event["lastTimestamp"] == "2030-01-01T00:02:00Z"


@pytest.mark.asyncio
async def test_events_of_one_instant_have_names_of_their_own() -> None:
    async with running() as kit:
        for number in range(9):
            kit.recorder.record(BOAT, NORMAL, "Sailed", f"to {number}")
        await kit.settle()
        assert len(kit.sink.all) == 9


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("obj", "kind", "place"),
    [
        pytest.param(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}},
            None,
            ("default", "v1", "Node", "n"),
            id="in no namespace",
        ),
        pytest.param(
            Partial("v1", "Pod", ObjectMeta(name="p", namespace="sea")),
            None,
            ("sea", "v1", "Pod", "p"),
            id="typed",
        ),
        pytest.param(
            {"metadata": {"name": "p", "namespace": "sea"}},
            plain("apps/v1", "Deployment", "deployments"),
            ("sea", "apps/v1", "Deployment", "p"),
            id="an item of a list, which does not name its kind",
        ),
        pytest.param(
            type("Entry", (), {"meta": Meta(name="p", namespace="sea")})(),
            plain("v1", "Pod", "pods"),
            ("sea", "v1", "Pod", "p"),
            id="an entry of a cache",
        ),
    ],
)
async def test_any_object_can_be_told_of(obj: Any, kind: Any, place: tuple[str, ...]) -> None:
    async with running() as kit:
        kit.recorder.record(obj, NORMAL, "Seen", "here", kind=kind)
        await kit.settle()
        [event] = kit.sink.all
    involved = event["involvedObject"]
    found = (involved["apiVersion"], involved["kind"], involved["name"])
    assert (event["metadata"]["namespace"], *found) == place


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["Has:Capitals", "x" * 250])
async def test_an_object_whose_name_is_no_name_of_an_event_is_told_of_too(name: str) -> None:
    async with running() as kit:
        kit.recorder.record({**BOAT, "metadata": {"name": name}}, NORMAL, "Seen", "here")
        await kit.settle()
        [event] = kit.sink.all
    assert name not in event["metadata"]["name"]
    assert event["involvedObject"]["name"] == name


@pytest.mark.parametrize(
    ("obj", "type_"),
    [
        (None, NORMAL),
        ({}, NORMAL),
        ({"metadata": None}, NORMAL),
        ({"metadata": "x", "kind": "Boat"}, NORMAL),
        ({"metadata": {"name": 1}, "kind": "Boat"}, NORMAL),
        ({"metadata": {"name": "x"}}, NORMAL),
        (BOAT, "Error"),
        (BOAT, ""),
    ],
)
def test_a_wrong_event_is_logged_and_fails_nobody(
    obj: Any, type_: str, caplog: pytest.LogCaptureFixture
) -> None:
    Kit().recorder.record(obj, type_, "R", "m")
    assert [record.levelname for record in caplog.records] == ["ERROR"]


@pytest.mark.asyncio
async def test_long_and_broken_messages_are_sent_as_far_as_they_go() -> None:
    async with running() as kit:
        kit.recorder.record(BOAT, NORMAL, "Long", "x" * 5000)
        kit.recorder.record(BOAT, NORMAL, "Broken", "a\ud800b\x00\u2028")
        await kit.settle()
        messages = [event["message"] for event in kit.sink.all]
    assert messages == ["x" * 1024, "a?b\x00\u2028"]


@pytest.mark.asyncio
async def test_a_full_queue_drops_and_tells_once(caplog: pytest.LogCaptureFixture) -> None:
    kit = Kit(queued=2)
    for number in range(5):
        kit.recorder.record(BOAT, NORMAL, f"R{number}", "m")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    async with background(kit.recorder.run()):
        await kit.settle()
    assert [event["reason"] for event in kit.sink.all] == ["R0", "R1"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "failure",
    [Unreachable("x"), ServiceUnavailable("x"), TooManyRequests("x")],
    ids=lambda one: type(one).__name__,
)
async def test_a_failure_that_passes_is_waited_for(failure: Exception) -> None:
    async with running() as kit:
        failures = [failure, failure]
        kit.sink.fail = lambda verb: failures.pop() if failures else None
        kit.recorder.record(BOAT, NORMAL, "Sailed", "m")
        assert await kit.clock.slept() == [5.0]
        kit.clock.advance(timedelta(seconds=5))
        assert await kit.clock.slept() == [10.0]
        kit.clock.advance(timedelta(seconds=10))
        await kit.settle()
        assert len(kit.sink.all) == 1


@pytest.mark.asyncio
async def test_tries_are_bounded_and_the_next_event_is_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running(tries=3) as kit:
        kit.sink.fail = lambda verb: Unreachable("gone")
        kit.recorder.record(BOAT, NORMAL, "First", "m")
        kit.recorder.record(BOAT, NORMAL, "Second", "m")
        for _ in range(2):
            await kit.clock.slept()
            kit.clock.advance(timedelta(seconds=10))
        await kit.clock.slept()
        assert kit.sink.calls == ["create"] * 4
        kit.sink.fail = lambda verb: None
        kit.clock.advance(timedelta(seconds=10))
        await kit.settle()
        assert [event["reason"] for event in kit.sink.all] == ["Second"]
    assert [record.message for record in caplog.records] == ["an event could not be sent"]


def terminating() -> ApiError:
    causes = [{"reason": "NamespaceTerminating", "field": "metadata.namespace"}]
    return Forbidden("no new content", {"causes": causes})


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("failure", "level"),
    [
        pytest.param(terminating(), "DEBUG", id="the namespace goes"),
        pytest.param(not_found("", "namespaces", "sea"), "DEBUG", id="the namespace is gone"),
        pytest.param(AlreadyExists("x"), "DEBUG", id="it is there"),
        pytest.param(Forbidden("no right"), "WARNING", id="we may not"),
        pytest.param(Invalid("bad"), "WARNING", id="the server does not like it"),
    ],
)
async def test_what_the_server_refuses_is_dropped(
    failure: Exception, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with running() as kit:
        kit.sink.fail = lambda verb: failure
        kit.recorder.record(BOAT, NORMAL, "Sailed", "m")
        await kit.settle()
        assert kit.sink.calls == ["create"]
        kit.sink.fail = lambda verb: None
        kit.recorder.record(BOAT, NORMAL, "Moored", "m")
        await kit.settle()
        assert [event["reason"] for event in kit.sink.all] == ["Moored"]
    told = [one.levelname for one in caplog.records if one.name == "kedge.runtime.events"]
    assert told == [level]


@pytest.mark.asyncio
async def test_the_same_refusal_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    async with running() as kit:
        kit.sink.fail = lambda verb: Forbidden("no right")
        for number in range(5):
            kit.recorder.record(BOAT, NORMAL, f"R{number}", "m")
        await kit.settle()
    assert len([one for one in caplog.records if one.levelname == "WARNING"]) == 1


@pytest.mark.asyncio
async def test_an_event_that_is_gone_is_made_again_with_its_count() -> None:
    async with running() as kit:
        kit.recorder.record(BOAT, NORMAL, "Sailed", "m")
        await kit.settle()
        kit.sink.events.clear()
        kit.recorder.record(BOAT, NORMAL, "Sailed", "m")
        await kit.settle()
        [event] = kit.sink.all
        assert event["count"] == 2
        assert kit.sink.calls == ["create", "change", "create"]


@pytest.mark.asyncio
async def test_what_waits_is_sent_at_the_end() -> None:
    kit = Kit()
    async with background(kit.recorder.run()):
        await kit.settle()
        for number in range(20):
            kit.recorder.record(BOAT, NORMAL, f"R{number}", "m")
    assert len(kit.sink.all) == 20


@pytest.mark.asyncio
async def test_what_was_under_way_at_the_end_is_counted_once() -> None:
    kit = Kit()
    async with background(kit.recorder.run()):
        kit.recorder.record(BOAT, NORMAL, "Sailed", "m")
        await kit.settle()
        kit.sink.hanging.clear()
        kit.recorder.record(BOAT, NORMAL, "Sailed", "m")
        await kit.settle()
        asyncio.get_running_loop().call_soon(kit.sink.hanging.set)
    [event] = kit.sink.all
    assert event["count"] == 2


@pytest.mark.asyncio
async def test_the_end_does_not_wait_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    kit = Kit(flush_seconds=0.01)
    async with asyncio.timeout(30):
        async with background(kit.recorder.run()):
            kit.sink.hanging.clear()
            kit.recorder.record(BOAT, NORMAL, "Sailed", "m")
            await kit.settle()
    assert [record.message for record in caplog.records] == ["events were dropped at the end"]


@pytest.mark.asyncio
async def test_a_flood_reaches_the_server_as_a_trickle() -> None:
    async with running() as kit:
        for number in range(500):
            kit.recorder.record(BOAT, WARNING, "Leaks", f"hole {number}")
        for _ in range(50):
            await kit.settle()
        assert len(kit.sink.calls) == 25
        assert len(kit.sink.all) == 10
        combined = [e for e in kit.sink.all if e["message"].startswith("(combined from similar")]
        assert [event["count"] for event in combined] == [16]
