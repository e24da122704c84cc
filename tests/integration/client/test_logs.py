"""Logs through a real API server, from files that a kubelet's own code reads."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
import pytest_asyncio

from kedge.client import Client
from kedge.kube import errors
from tests.integration.client.conftest import Api, new_namespace
from tests.integration.client.kubelet import PODS, Kubelet, running_pod


@dataclass(frozen=True)
class Pod:
    """A pod that says what it is told to."""

    kube: Client
    kubelet: Kubelet
    namespace: str

    def say(self, *texts: str, minute: int = 0, run: str = "") -> None:
        """Let its first container write lines."""
        lines = [f"2030-01-01T00:{minute:02}:{n:02}.5Z stdout F {t}" for n, t in enumerate(texts)]
        self.kubelet.write(f"{self.namespace}_pod_main{run}", *lines)

    def end(self) -> None:
        """Let its first container end."""
        self.kubelet.end(f"{self.namespace}_pod_main")


@pytest_asyncio.fixture
async def pod(real_api: Api, kubelet: Kubelet) -> AsyncIterator[Pod]:
    """Give a pod of the real cluster."""
    async with real_api.client() as kube:
        namespace = await new_namespace(kube)
        async with running_pod(kube, kubelet, namespace, "main"):
            yield Pod(kube, kubelet, namespace)


@pytest.mark.asyncio
async def test_all_that_was_said(pod: Pod) -> None:
    pod.say("one", "", "\u2028two\u0085", "x" * 100_000)
    lines = [line async for line in pod.kube.logs("pod", pod.namespace)]
    assert lines == [b"one", b"", "\u2028two\u0085".encode(), b"x" * 100_000]


@pytest.mark.asyncio
async def test_a_part_of_it(pod: Pod) -> None:
    pod.say("one", "two", minute=1)
    pod.say("three", "four", minute=2)

    async def logs(**wanted: object) -> list[bytes]:
        return [line async for line in pod.kube.logs("pod", pod.namespace, **wanted)]  # type: ignore[arg-type]

    assert await logs(tail_lines=1) == [b"four"]
    assert await logs(tail_lines=0) == []
    when = datetime(2030, 1, 1, 0, 1, 30, tzinfo=UTC)
    assert await logs(since_time=when) == [b"three", b"four"]
    assert await logs(since_seconds=2_000_000_000) == [b"one", b"two", b"three", b"four"]
    assert await logs(limit_bytes=6) == [b"one", b"tw"]
    assert await logs(timestamps=True, tail_lines=1, container="main") == [
        b"2030-01-01T00:02:01.500000000Z four"
    ]


@pytest.mark.asyncio
async def test_what_was_said_before_the_last_start(pod: Pod) -> None:
    pod.say("now")
    pod.say("before", run=".previous")
    lines = [line async for line in pod.kube.logs("pod", pod.namespace, previous=True)]
    assert lines == [b"before"]


@pytest.mark.asyncio
async def test_following_until_the_container_ends(pod: Pod) -> None:
    pod.say("one")
    lines = pod.kube.logs("pod", pod.namespace, follow=True)
    async with asyncio.timeout(60):
        assert await anext(lines) == b"one"
        pod.say("two", "three")
        assert [await anext(lines), await anext(lines)] == [b"two", b"three"]
        pod.say("last")
        pod.end()
        assert [line async for line in lines] == [b"last"]


@pytest.mark.asyncio
async def test_what_is_not_there(pod: Pod) -> None:
    with pytest.raises(errors.BadRequest, match="container nosuch is not valid"):
        await anext(pod.kube.logs("pod", pod.namespace, container="nosuch"))
    with pytest.raises(errors.NotFound, match='pods "nosuch" not found'):
        await anext(pod.kube.logs("nosuch", pod.namespace))
    with pytest.raises(errors.ApiError, match="has no log"):
        await anext(pod.kube.logs("pod", pod.namespace))


@pytest.mark.asyncio
async def test_a_server_that_runs_no_pods_says_so(kube: Client, namespace: str) -> None:
    spec = {"containers": [{"name": "a", "image": "x"}], "nodeName": "nosuch"}
    await kube.create(PODS, {"metadata": {"name": "idle"}, "spec": spec}, namespace)
    with pytest.raises(errors.ApiError) as raised:
        await anext(kube.logs("idle", namespace))
    assert raised.value.message
