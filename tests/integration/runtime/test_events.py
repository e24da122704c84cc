"""Events in a real API: as kubectl finds them, and gone with their namespace."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from kedge.aio.background import background
from kedge.aio.turn import turn
from kedge.client import Client, Selection
from kedge.kube.kind import Object, plain
from kedge.runtime.events import EVENTS, NORMAL, WARNING, ApiEvents, EventSettings, Recorder
from tests.integration.runtime.servers import Server, embedded, real

CONFIGS = plain("v1", "ConfigMap", "configmaps")
NAMESPACES = plain("v1", "Namespace", "namespaces", namespaced=False)
PATIENCE = 30.0


@pytest_asyncio.fixture(params=["embedded", "real"])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[Server]:
    if request.param == "real":
        async with real(request.getfixturevalue("real_cluster")) as found:
            yield found
    else:
        async with embedded() as found:
            yield found


@pytest_asyncio.fixture
async def client(server: Server) -> AsyncIterator[Client]:
    async with server.client() as made:
        yield made


@asynccontextmanager
async def recording(recorder: Recorder) -> AsyncIterator[None]:
    """Send events while the block runs, and at its end those that wait."""
    async with background(recorder.run()):
        await turn()
        yield


async def told(client: Client, name: str, namespace: str) -> list[Object]:
    """Give the events about an object, as `kubectl describe` asks for them."""
    chosen = f"involvedObject.name={name}"
    return [event async for event in client.list(EVENTS, Selection(namespace, fields=chosen))]


async def boat(client: Client, namespace: str) -> Object:
    return await client.create(CONFIGS, {"metadata": {"name": "boat"}}, namespace)


@pytest.mark.asyncio
async def test_equal_events_are_one_object_with_a_count(server: Server, client: Client) -> None:
    namespace = await server.namespace()
    obj = await boat(client, namespace)
    recorder = Recorder(ApiEvents(client), "kedge")
    async with recording(recorder):
        for _ in range(3):
            recorder.record(obj, WARNING, "Leaks", "water\u2028in")
        recorder.record(obj, NORMAL, "Sailed", "away")
    found = {event["reason"]: event for event in await told(client, "boat", namespace)}
    assert set(found) == {"Leaks", "Sailed"}
    leak = found["Leaks"]
    assert (leak["count"], leak["type"], leak["message"]) == (3, "Warning", "water\u2028in")
    assert leak["source"] == {"component": "kedge"}
    assert leak["reportingComponent"] == "kedge"
    assert leak["involvedObject"] == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "boat",
        "namespace": namespace,
        "uid": obj["metadata"]["uid"],
        "resourceVersion": obj["metadata"]["resourceVersion"],
    }


@pytest.mark.asyncio
async def test_similar_events_are_combined(server: Server, client: Client) -> None:
    namespace = await server.namespace()
    obj = await boat(client, namespace)
    recorder = Recorder(ApiEvents(client), "kedge")
    async with recording(recorder):
        for number in range(15):
            recorder.record(obj, WARNING, "Leaks", f"hole {number}")
    found = await told(client, "boat", namespace)
    assert len(found) == 10
    combined = [one for one in found if one["message"].startswith("(combined from similar events)")]
    assert [(one["count"], one["message"][-7:]) for one in combined] == [(6, "hole 14")]


@pytest.mark.asyncio
async def test_an_event_that_was_deleted_is_made_again(server: Server, client: Client) -> None:
    namespace = await server.namespace()
    obj = await boat(client, namespace)
    recorder = Recorder(ApiEvents(client), "kedge")
    async with recording(recorder):
        recorder.record(obj, NORMAL, "Sailed", "away")
        async with asyncio.timeout(PATIENCE):
            while not (found := await told(client, "boat", namespace)):
                pass
        await client.delete(EVENTS, found[0]["metadata"]["name"], namespace)
        recorder.record(obj, NORMAL, "Sailed", "away")
    [again] = await told(client, "boat", namespace)
    assert again["count"] == 2


@pytest.mark.asyncio
async def test_events_about_what_is_in_no_namespace_are_in_default(
    server: Server, client: Client
) -> None:
    name = await server.namespace()
    obj = await client.get(NAMESPACES, name)
    recorder = Recorder(ApiEvents(client), "kedge")
    async with recording(recorder):
        recorder.record(obj, NORMAL, "Seen", "here", kind=NAMESPACES)
    [event] = await told(client, name, "default")
    assert event["involvedObject"]["kind"] == "Namespace"


@pytest.mark.asyncio
async def test_events_in_a_namespace_that_goes_are_dropped_quietly(
    server: Server, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    namespace = await server.namespace()
    made = {"metadata": {"name": "boat", "finalizers": ["sea.example.com/anchor"]}}
    obj = await client.create(CONFIGS, made, namespace)
    await client.delete(NAMESPACES, namespace)
    recorder = Recorder(ApiEvents(client), "kedge", EventSettings(tries=1))
    async with recording(recorder):
        recorder.record(obj, NORMAL, "Sailed", "away")
    assert [one for one in caplog.records if one.name == "kedge.runtime.events"] == []
    await server.plain.patch(
        f"/api/v1/namespaces/{namespace}/configmaps/boat", {"metadata": {"finalizers": None}}
    )
