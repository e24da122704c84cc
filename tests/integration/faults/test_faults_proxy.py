"""Without faults the proxy changes nothing; it notes what passes, and leaves nothing behind."""

import asyncio
import base64
import ssl
from collections.abc import Awaitable
from pathlib import Path

import msgspec
import pytest
import yaml

from kedge.client import Disconnected, Unreachable
from kedge.kube.errors import AlreadyExists, Invalid, NotFound, Unauthorized
from kedge.testing import Client, cluster, faults
from tests.integration.faults.front import (
    CONFIGS,
    WATCHES,
    WRITES,
    config,
    connected,
    everything,
    front,
    head,
    make,
    names,
    told,
)


@pytest.mark.asyncio
async def test_all_verbs_pass() -> None:
    async with front() as (proxy, client, direct):
        made = await client.create(CONFIGS, config("a", colour="blue"))
        assert made == await direct.get(f"{CONFIGS}/a")
        made["data"]["colour"] = "red"
        await client.replace(f"{CONFIGS}/a", made)
        await client.patch(f"{CONFIGS}/a", {"data": {"size": "small"}})
        assert (await client.get(f"{CONFIGS}/a"))["data"] == {"colour": "red", "size": "small"}
        await client.delete(f"{CONFIGS}/a")
        await client.delete(CONFIGS)
        assert await names(direct) == []
        assert [call.method for call in proxy.calls] == [
            "POST", "PUT", "PATCH", "GET", "DELETE", "DELETE",
        ]  # fmt: skip


@pytest.mark.asyncio
async def test_errors_pass_as_they_are() -> None:
    async with front() as (_, client, _direct):
        await make(client, "a")
        with pytest.raises(AlreadyExists, match='configmaps "a" already exists'):
            await make(client, "a")
        with pytest.raises(NotFound):
            await client.get(f"{CONFIGS}/b")
        with pytest.raises(Invalid):
            await make(client, "NO")


@pytest.mark.asyncio
async def test_the_log_tells_what_passed() -> None:
    async with front() as (proxy, client, _):
        await make(client, "a")
        with pytest.raises(NotFound):
            await client.get(f"{CONFIGS}/b", pretty="true")
        first, second = proxy.calls
        assert (first.number, first.method, first.path, first.query) == (0, "POST", CONFIGS, {})
        assert (first.status, first.answered, first.reached) == (201, [201], 1)
        assert (first.is_write, first.is_over, first.faults) == (True, True, [])
        assert first.sent > 100
        assert (second.path, second.query) == (f"{CONFIGS}/b", {"pretty": "true"})
        assert (second.status, second.is_write) == (404, False)
        assert second.request.aim.verb == "get"


@pytest.mark.asyncio
async def test_a_watch_streams_while_it_is_open() -> None:
    async with front() as (proxy, client, direct):
        watch = client.watch(CONFIGS)
        for name in ("a", "b"):
            await make(direct, name)
            assert told(await anext(watch)) == ("ADDED", name)
        (call,) = await proxy.seen(WATCHES)
        assert not call.is_over
        await watch.aclose()
        await proxy.signal.until(lambda: call.is_over)


@pytest.mark.asyncio
@pytest.mark.parametrize("text", ["\u2028\u2029\u0085\x0b\x1c", "\n\r\n\\n", "ø" * 300_000])
async def test_any_text_passes(text: str) -> None:
    async with front() as (_, client, direct):
        watch = client.watch(CONFIGS)
        await client.create(CONFIGS, config("a", text=text))
        assert (await direct.get(f"{CONFIGS}/a"))["data"]["text"] == text
        assert (await client.get(f"{CONFIGS}/a"))["data"]["text"] == text
        assert (await anext(watch)).object["data"]["text"] == text
        await watch.aclose()


@pytest.mark.asyncio
async def test_requests_follow_each_other_on_one_connection() -> None:
    async with front() as (proxy, _, _direct), connected(proxy) as (reader, writer):
        for _ in range(3):
            writer.write(head("GET /version HTTP/1.1"))
            first = await reader.readuntil(b"\r\n\r\n")
            assert first.startswith(b"HTTP/1.1 200 OK\r\n")
            (length,) = (
                int(line.split()[1])
                for line in first.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            assert b"gitVersion" in await reader.readexactly(length)


@pytest.mark.asyncio
async def test_chunked_bodies_and_expectations_are_understood() -> None:
    async with front() as (proxy, _, direct), connected(proxy) as (reader, writer):
        fields = ("Content-Type: application/json", "Transfer-Encoding: chunked")
        writer.write(head(f"POST {CONFIGS} HTTP/1.1", *fields, "Expect: 100-continue"))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        body = msgspec.json.encode(config("a"))
        for piece in (body[:7], body[7:], b""):
            writer.write(b"%x;x=y\r\n%b\r\n" % (len(piece), piece))
        assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 201")
        assert await names(direct) == ["a"]


@pytest.mark.asyncio
async def test_a_head_request_has_no_body() -> None:
    async with front() as (proxy, _, _direct):
        answer = await everything(proxy, head("HEAD /readyz HTTP/1.1", "Connection: close"))
        assert answer.startswith(b"HTTP/1.1 ")
        assert b"Content-Length: " in answer
        assert answer.endswith(b"\r\n\r\n")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "request_",
    [
        b"nonsense\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/2\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        head("GET /api HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade"),
    ],
)
async def test_what_is_no_plain_request_ends_the_connection(request_: bytes) -> None:
    async with front() as (proxy, client, _):
        assert await everything(proxy, request_) == b""
        assert await names(client) == []


@pytest.mark.asyncio
async def test_the_clients_own_token_is_passed_on() -> None:
    async with front() as (proxy, client, _), proxy.client("wrong") as stranger:
        with pytest.raises(Unauthorized):
            await stranger.get(CONFIGS)
        await client.get(CONFIGS)
        assert [call.status for call in proxy.calls] == [401, 200]


@pytest.mark.asyncio
async def test_the_token_is_not_shown() -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        assert kube.token not in repr(proxy.server)


@pytest.mark.asyncio
async def test_a_client_certificate_can_speak_for_all_clients(tmp_path: Path) -> None:
    async with cluster() as kube:
        text = kube.kubeconfig.read_text()
        tls = ssl.create_default_context(cafile=str(kube.ca))
        load_certificate(tls, text, tmp_path)
        async with faults.proxy(kube.url, tls=tls) as proxy, proxy.client() as client:
            await make(client, "a")


def load_certificate(tls: ssl.SSLContext, kubeconfig: str, folder: Path) -> None:
    user = yaml.safe_load(kubeconfig)["users"][0]["user"]
    pair = folder / "pair.pem"
    keys = ("client-certificate-data", "client-key-data")
    pair.write_bytes(b"".join(base64.b64decode(user[key]) for key in keys))
    tls.load_cert_chain(pair)


@pytest.mark.asyncio
async def test_clients_that_want_https_get_it() -> None:
    async with cluster() as kube:
        pki = kube.ca.parent
        serve = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        serve.load_cert_chain(pki / "server.crt", pki / "server.key")
        async with faults.proxy(kube, serve_tls=serve) as proxy:
            assert proxy.url.startswith("https://")
            tls = ssl.create_default_context(cafile=str(kube.ca))
            async with Client(proxy.url, "", tls) as client:
                watch = client.watch(CONFIGS)
                await make(client, "a")
                assert told(await anext(watch)) == ("ADDED", "a")
                proxy.inject(faults.LoseAnswer(), WRITES, times=1)
                with pytest.raises(Disconnected):
                    await make(client, "b")
                assert told(await anext(watch)) == ("ADDED", "b")
                await watch.aclose()


@pytest.mark.asyncio
async def test_a_server_that_is_not_there_is_a_connection_that_ends() -> None:
    async with faults.proxy("http://127.0.0.1:1") as proxy, proxy.client() as client:
        with pytest.raises(Disconnected):
            await client.get("/version")
        assert {(call.status, *call.answered) for call in proxy.calls} == {(None,)}


@pytest.mark.asyncio
async def test_leaving_ends_connections_and_tasks() -> None:
    async with cluster() as kube:
        async with faults.proxy(kube) as proxy, proxy.client() as client:
            stall = faults.StallRequest()
            proxy.inject(stall, WRITES)
            watch = client.watch(CONFIGS)
            await make(kube.client, "a")
            await anext(watch)
            async with asyncio.TaskGroup() as tasks, connected(proxy) as (reader, _):
                stuck = tasks.create_task(lost(make(client, "b")))
                await proxy.signal.until(lambda: len(proxy.calls) == 2)
                assert len(tasks_of_the_proxy()) == 3
                await proxy.__aexit__(None, None, None)
                assert await reader.read() == b""
                await stuck
            with pytest.raises(Disconnected):
                await anext(watch)
            assert tasks_of_the_proxy() == []
            with pytest.raises(Unreachable):
                await client.get(CONFIGS)
        assert await names(kube.client) == ["a"]


def tasks_of_the_proxy() -> list[str]:
    return [name for task in asyncio.all_tasks() if "Connection.serve" in (name := repr(task))]


async def lost(work: Awaitable[None]) -> None:
    with pytest.raises(Disconnected):
        await work


@pytest.mark.asyncio
async def test_an_exception_of_the_test_is_not_wrapped() -> None:
    async with cluster() as kube:
        with pytest.raises(LookupError):
            async with faults.proxy(kube):
                raise LookupError


@pytest.mark.asyncio
async def test_a_mistake_in_a_fault_of_ones_own_ends_the_test() -> None:
    async def mistaken(call: faults.Call, forward: faults.Forward) -> faults.Answer:
        raise LookupError("mine")

    async def run() -> None:
        async with faults.proxy(kube) as proxy, proxy.client() as client:
            proxy.inject(mistaken)
            await client.get(CONFIGS)

    async with cluster() as kube:
        with pytest.raises(ExceptionGroup) as caught:
            await run()
        assert caught.group_contains(LookupError, match="mine")


@pytest.mark.asyncio
async def test_a_client_that_leaves_ends_what_was_under_way() -> None:
    async with front() as (proxy, _, direct):
        await make(direct, "a")
        injection = proxy.inject(faults.StallRequest())
        async with connected(proxy) as (_, writer):
            writer.write(head(f"DELETE {CONFIGS} HTTP/1.1"))
            call = await injection.hit()
        await proxy.signal.until(lambda: call.is_over)
        assert (call.reached, call.status) == (0, None)
        assert await names(direct) == ["a"]
