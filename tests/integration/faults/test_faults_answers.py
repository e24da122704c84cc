"""Requests and answers that are lost, refused, told otherwise, or sent twice."""

import asyncio
import errno

import aiohttp
import pytest

from kedge.client import Disconnected
from kedge.kube.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    Expired,
    InternalError,
    NotFound,
    ServiceUnavailable,
    Timeout,
    TooManyRequests,
    UnknownError,
)
from kedge.testing import faults
from tests.integration.faults.front import (
    CONFIGS,
    LISTS,
    WATCHES,
    WRITES,
    config,
    connected,
    everything,
    front,
    head,
    make,
    names,
)

DELETE = head(f"DELETE {CONFIGS}/a HTTP/1.1")


@pytest.mark.asyncio
async def test_a_lost_request_never_reaches_the_server() -> None:
    async with front() as (proxy, client, direct):
        proxy.inject(faults.LoseRequest(), WRITES, times=1)
        with pytest.raises(Disconnected):
            await make(client, "a")
        assert await names(direct) == []
        assert (proxy.calls[0].reached, proxy.calls[0].status) == (0, None)
        await make(client, "a")


@pytest.mark.asyncio
async def test_a_lost_answer_leaves_the_deed() -> None:
    async with front() as (proxy, client, direct):
        proxy.inject(faults.LoseAnswer(), WRITES, times=1)
        with pytest.raises(Disconnected):
            await make(client, "a")
        assert await names(direct) == ["a"]
        call = proxy.calls[0]
        assert (call.reached, call.answered, call.status) == (1, [201], None)
        with pytest.raises(AlreadyExists):
            await make(client, "a")


@pytest.mark.asyncio
@pytest.mark.parametrize("fault", [faults.LoseRequest(reset=True), faults.LoseAnswer(reset=True)])
async def test_a_connection_can_be_broken_off(fault: faults.Fault) -> None:
    async with front() as (proxy, _, _direct), connected(proxy) as (reader, writer):
        proxy.inject(fault)
        writer.write(DELETE)
        with pytest.raises(ConnectionResetError) as caught:
            await reader.read()
        assert caught.value.errno == errno.ECONNRESET


@pytest.mark.asyncio
@pytest.mark.parametrize("after", [0, 1, 17, 10_000_000])
async def test_a_body_is_cut_at_a_byte(after: int) -> None:
    async with front() as (proxy, _, direct):
        await make(direct, *(f"c{number}" for number in range(50)))
        request = head(f"GET {CONFIGS} HTTP/1.1", "Connection: close")
        whole = await everything(proxy, request)
        top, _, body = whole.partition(b"\r\n\r\n")
        proxy.inject(faults.CutBody(after))
        cut = await everything(proxy, request)
        cut_top, _, beginning = cut.partition(b"\r\n\r\n")
        assert length(cut_top) == length(top) == len(body)
        assert beginning == body[:after]


def length(top: bytes) -> int:
    (found,) = (line for line in top.split(b"\r\n") if line.lower().startswith(b"content-length"))
    return int(found.split()[1])


@pytest.mark.asyncio
async def test_a_cut_body_is_an_error_to_a_client() -> None:
    async with front() as (proxy, client, _):
        proxy.inject(faults.CutBody(10), WRITES)
        with pytest.raises(Disconnected):
            await make(client, "a")


REPLIES = [
    (faults.conflict(), Conflict, 409, 'configmaps "a": the object has been modified'),
    (faults.already_exists(), AlreadyExists, 409, 'configmaps "a" already exists'),
    (faults.not_found(), NotFound, 404, 'configmaps "a" not found'),
    (faults.too_many_requests(7), TooManyRequests, 429, "try again later"),
    (faults.failure(500), InternalError, 500, "Internal error occurred"),
    (faults.failure(502), UnknownError, 502, "injected"),
    (faults.failure(503), ServiceUnavailable, 503, "unable to handle the request"),
    (faults.failure(504), Timeout, 504, "Timeout: request did not complete"),
    (faults.bare(502, "<html>bad gateway</html>"), UnknownError, 502, "<html>"),
    (faults.bare(503), ServiceUnavailable, 503, "^$"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("reply", "error", "code", "message"), REPLIES)
async def test_refusals_have_no_effect(
    reply: faults.Reply, error: type[ApiError], code: int, message: str
) -> None:
    async with front() as (proxy, client, direct):
        proxy.inject(faults.Refuse(reply), WRITES, times=1)
        with pytest.raises(error, match=message) as caught:
            await make(client, "a")
        assert type(caught.value) is error
        assert caught.value.code == code
        assert await names(direct) == []
        await make(client, "a")
        assert proxy.calls[0].reached == 0


@pytest.mark.asyncio
@pytest.mark.parametrize(("reply", "error", "code", "message"), REPLIES)
async def test_what_is_told_otherwise_is_done(
    reply: faults.Reply, error: type[ApiError], code: int, message: str
) -> None:
    async with front() as (proxy, client, direct):
        proxy.inject(faults.DoneBut(reply), WRITES, times=1)
        with pytest.raises(error, match=message) as caught:
            await make(client, "a")
        assert caught.value.code == code
        assert await names(direct) == ["a"]
        assert (proxy.calls[0].answered, proxy.calls[0].status) == ([201], code)


@pytest.mark.asyncio
async def test_names_in_a_status_come_from_the_request() -> None:
    async with front() as (proxy, client, _):
        proxy.inject(faults.Refuse(faults.conflict()), WRITES)
        leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
        with pytest.raises(Conflict) as caught:
            await client.patch(f"{leases}/mine", {})
        details = {"name": "mine", "group": "coordination.k8s.io", "kind": "leases"}
        assert caught.value.details == details
        with pytest.raises(Conflict) as caught:
            await client.create(leases, {"metadata": {"generateName": "some-"}})
        assert caught.value.details == {**details, "name": "some-"}
        with pytest.raises(Conflict):
            await client.request("POST", leases, b"\xff")


@pytest.mark.asyncio
@pytest.mark.parametrize("seconds", [0, 3])
@pytest.mark.parametrize("reply", [faults.too_many_requests, faults.failure])
async def test_retry_after_is_told_twice_or_not_at_all(reply: object, seconds: int) -> None:
    async with front() as (proxy, _, _direct), aiohttp.ClientSession() as session:
        proxy.inject(faults.Refuse(reply(retry_after=seconds)))  # type: ignore[operator]
        async with session.get(proxy.url + CONFIGS) as answer:
            assert answer.headers.get("Retry-After") == (str(seconds) if seconds else None)
            details = (await answer.json()).get("details", {})
            assert details.get("retryAfterSeconds", 0) == seconds


@pytest.mark.asyncio
async def test_versions_that_are_too_old() -> None:
    async with front() as (proxy, client, _):
        proxy.inject(faults.Refuse(faults.expired()))
        with pytest.raises(Expired, match=r"too old resource version: 5 \(6\)"):
            await anext(client.watch(CONFIGS, resourceVersion="5"))
        with pytest.raises(Expired, match=r"too old resource version: 5$"):
            await client.get(CONFIGS, resourceVersion="5", resourceVersionMatch="Exact")
        with pytest.raises(Expired, match="continue parameter is too old"):
            await client.get(CONFIGS, **{"continue": "x"})


@pytest.mark.asyncio
async def test_a_request_reaches_the_server_twice() -> None:
    async with front() as (proxy, client, direct):
        proxy.inject(faults.SendTwice(), WRITES)
        with pytest.raises(AlreadyExists):
            await make(client, "a")
        assert await names(direct) == ["a"]
        assert proxy.calls[0].answered == [201, 409]
        with pytest.raises(NotFound):
            await client.delete(f"{CONFIGS}/a")
        patch = {"metadata": {"labels": {"a": "b"}}}
        await make(direct, "b")
        await client.patch(f"{CONFIGS}/b", patch)
        assert proxy.calls[-1].answered == [200, 200]


@pytest.mark.asyncio
async def test_a_watch_can_be_lost_refused_or_opened_twice() -> None:
    async with front() as (proxy, client, direct):
        await make(direct, "a")
        with (
            proxy.inject(faults.LoseAnswer(), WATCHES),
            pytest.raises(Disconnected),
        ):
            await anext(client.watch(CONFIGS))
        with (
            proxy.inject(faults.DoneBut(faults.failure(500)), WATCHES),
            pytest.raises(InternalError),
        ):
            await anext(client.watch(CONFIGS))
        with proxy.inject(faults.SendTwice(), WATCHES):
            watch = client.watch(CONFIGS)
            assert (await anext(watch)).type == "ADDED"
            await watch.aclose()


@pytest.mark.asyncio
async def test_faults_of_one_kind_leave_others_alone() -> None:
    async with front() as (proxy, client, _):
        proxy.inject(faults.Refuse(faults.failure(503)), LISTS)

        async def one(name: str) -> None:
            await client.create(CONFIGS, config(name))
            await client.get(f"{CONFIGS}/{name}")

        await asyncio.gather(*(one(f"c{number}") for number in range(20)))
        with pytest.raises(ServiceUnavailable):
            await client.get(CONFIGS)
