"""A kopf operator as a process: handlers, finalizer, status, timer, daemon, events."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml

from kedge.testing import Client
from tests.integration.apiserver_process import Running
from tests.integration.clients.manifests import crd

GROUP = "kopf.test"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
OPERATOR = Path(__file__).with_name("boat_operator.py")
HANDLED = "kopf.zalando.org/last-handled-configuration"
LONG = 30.0


@pytest.fixture(scope="module", autouse=True)
def _defined(server: Running) -> None:
    server.post(CRDS, yaml.safe_load(crd(GROUP)))


@pytest_asyncio.fixture
async def client(server: Running) -> AsyncIterator[Client]:
    async with Client(server.url, "", server.tls) as client:
        yield client


@contextmanager
def operator(server: Running, folder: Path) -> Iterator[None]:
    """Run the operator while the block runs, then kill it."""
    command = [sys.executable, "-m", "kopf", "run", "--standalone", "--all-namespaces"]
    environ = {**os.environ, "KUBECONFIG": str(server.kubeconfig)}
    with (folder / "kopf.log").open("a") as log:
        process = subprocess.Popen([*command, str(OPERATOR)], env=environ, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.kill()
            process.wait(LONG)


async def until(client: Client, path: str, **wanted: Any) -> dict[str, Any]:
    """Follow one object until kopf is done with it and its status has all that is wanted."""

    def holds(obj: dict[str, Any]) -> bool:
        status = obj.get("status", {})
        handled = HANDLED in obj["metadata"].get("annotations", {})
        return handled and all(status.get(key) == value for key, value in wanted.items())

    return await client.until(path, holds, LONG)


async def gone(client: Client, path: str, version: str) -> None:
    """Follow one object until it is deleted."""
    folder, _, name = path.rpartition("/")
    query = {"fieldSelector": f"metadata.name={name}", "resourceVersion": version}
    async with asyncio.timeout(LONG), aclosing(client.watch(folder, **query)) as events:
        async for event in events:
            if event.type == "DELETED":
                return


async def told(client: Client, namespace: str, *reasons: str) -> list[str]:
    """Wait for events of some reasons; give their messages."""
    messages: dict[str, str] = {}
    path = f"/api/v1/namespaces/{namespace}/events"
    async with asyncio.timeout(LONG), aclosing(client.watch(path)) as events:
        async for event in events:
            messages[event.object["reason"]] = event.object["message"]
            if messages.keys() >= set(reasons):
                return [messages[reason] for reason in reasons]
    raise AssertionError("the watch ended")


@pytest.mark.asyncio
async def test_an_operator_from_create_to_delete(
    server: Running, client: Client, namespace: str, tmp_path: Path
) -> None:
    boats = f"/apis/{GROUP}/v1/namespaces/{namespace}/boats"
    path = f"{boats}/kayak"
    boat = {"apiVersion": f"{GROUP}/v1", "kind": "Boat", "metadata": {"name": "kayak"}}
    with operator(server, tmp_path):
        await client.create(boats, {**boat, "spec": {"length": 5}})
        made = await until(client, path, built={"name": "kayak"}, length=5, miles=3)
        assert made["metadata"]["finalizers"] == ["kopf.zalando.org/KopfFinalizerMarker"]
        await client.patch(path, {"spec": {"length": 6}})
        await until(client, path, length=6, was=5)
        deleted = await client.delete(path)
        assert deleted["metadata"]["deletionTimestamp"]
        await gone(client, path, deleted["metadata"]["resourceVersion"])
        assert await told(client, namespace, "OnBoard", "Ashore", "Scrapped") == [
            "kayak has a watchman",
            "kayak needs no watchman",
            "kayak is firewood",
        ]


@pytest.mark.asyncio
async def test_an_operator_picks_up_what_happened_while_it_was_away(
    server: Running, client: Client, namespace: str, tmp_path: Path
) -> None:
    boats = f"/apis/{GROUP}/v1/namespaces/{namespace}/boats"
    boat = {"apiVersion": f"{GROUP}/v1", "kind": "Boat", "metadata": {"name": "raft"}}
    await client.create(boats, {**boat, "spec": {"length": 2}})
    with operator(server, tmp_path):
        await until(client, f"{boats}/raft", length=2)
    await client.patch(f"{boats}/raft", {"spec": {"length": 3}})
    with operator(server, tmp_path):
        await until(client, f"{boats}/raft", length=3, was=2)
