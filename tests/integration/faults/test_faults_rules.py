"""Which requests meet a fault: by what they are, and by count."""

import doctest

import pytest

import kedge.testing.faults
from kedge.kube.errors import ApiError
from kedge.testing import Client, faults
from kedge.testing.faults.wire import Headers
from tests.integration.faults.front import CONFIGS, WRITES, front, make, names

GOOD, BAD = "good", "bad"


def request(method: str, target: str) -> faults.Request:
    return faults.Request(method, target, Headers())


def test_every_public_name_is_there() -> None:
    exported = kedge.testing.faults.__all__
    assert exported == sorted(exported)
    assert all(hasattr(kedge.testing.faults, name) for name in exported)


def test_the_example_runs() -> None:
    assert doctest.testmod(kedge.testing.faults) == (0, 6)


@pytest.mark.parametrize(
    ("method", "target", "found"),
    [
        ("GET", "/api/v1/configmaps", {"verb": "list", "resource": "configmaps", "write": False}),
        ("GET", "/api/v1/configmaps?watch=true", {"verb": "watch", "watch": True}),
        ("GET", "/api/v1/configmaps?watch=1&x=y", {"verb": "watch", "watch": True}),
        ("GET", "/api/v1/configmaps?watch=false", {"verb": "list", "watch": False}),
        ("GET", f"{CONFIGS}/a", {"verb": "get", "path": "*/configmaps/*", "watch": False}),
        ("GET", "/version", {"verb": "get", "path": "/version", "write": False}),
        ("POST", CONFIGS, {"verb": "create", "method": "POST", "write": True}),
        ("PUT", "/apis/x.test/v1/boats/a/status", {"verb": "update", "resource": "boats/status"}),
        ("PATCH", f"{CONFIGS}/a%20b", {"verb": {"patch", "update"}, "path": f"{CONFIGS}/a b"}),
        ("DELETE", f"{CONFIGS}/a", {"verb": "delete", "method": {"DELETE", "PUT"}}),
        ("DELETE", CONFIGS, {"verb": "deletecollection"}),
        ("GET", "/apis/watch", {"write": False}),
    ],
)
def test_requests_are_told_apart(method: str, target: str, found: dict[str, object]) -> None:
    one = request(method, target)
    assert faults.matches(**found)(one)  # type: ignore[arg-type]
    assert faults.matches()(one)
    assert faults.every(one)
    opposite = {"verb": "proxy", "resource": "x", "method": "HEAD", "path": "/none"}
    for key, value in found.items():
        other = not value if isinstance(value, bool) else opposite[key]
        assert not faults.matches(**{**found, key: other})(one)  # type: ignore[arg-type]


async def outcomes(client: Client, count: int) -> list[str]:
    found = []
    for _ in range(count):
        try:
            await client.get(CONFIGS)
        except ApiError:
            found.append(BAD)
        else:
            found.append(GOOD)
    return found


@pytest.mark.asyncio
async def test_counting() -> None:
    async with front() as (proxy, client, _):
        refuse = faults.Refuse(faults.failure(503))
        with proxy.inject(refuse, times=1):
            assert await outcomes(client, 3) == [BAD, GOOD, GOOD]
        with proxy.inject(refuse, times=2, after=1):
            assert await outcomes(client, 4) == [GOOD, BAD, BAD, GOOD]
        with proxy.inject(refuse) as injection:
            assert await outcomes(client, 3) == [BAD] * 3
            assert [call.number for call in injection.hits] == [7, 8, 9]
            assert (await injection.hit(2)).number == 8
        assert await outcomes(client, 1) == [GOOD]
        assert [call.faults for call in proxy.calls[5:8]] == [["Refuse"], [], ["Refuse"]]
        with proxy.inject(refuse, times=0):
            assert await outcomes(client, 1) == [GOOD]


@pytest.mark.asyncio
async def test_requests_that_do_not_match_are_not_counted() -> None:
    async with front() as (proxy, client, _):
        proxy.inject(faults.Refuse(faults.conflict()), WRITES, after=1)
        await make(client, "a")
        assert await outcomes(client, 3) == [GOOD] * 3
        with pytest.raises(ApiError):
            await make(client, "b")


@pytest.mark.asyncio
@pytest.mark.parametrize("numbers", [{"times": -1}, {"after": -1}])
async def test_numbers_that_make_no_sense_are_refused(numbers: dict[str, int]) -> None:
    async with front() as (proxy, _, _direct):
        with pytest.raises(ValueError, match="0 or more"):
            proxy.inject(faults.SendTwice(), **numbers)  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_waiting_for_what_does_not_come_ends() -> None:
    async with front() as (proxy, client, _):
        injection = proxy.inject(faults.SendTwice(), WRITES)
        await client.get(CONFIGS)
        with pytest.raises(TimeoutError):
            await injection.hit(seconds=0.05)
        with pytest.raises(TimeoutError):
            await proxy.seen(WRITES, seconds=0.05)
        assert len(await proxy.seen()) == 1


@pytest.mark.asyncio
async def test_the_last_fault_is_next_to_the_client() -> None:
    async with front() as (proxy, client, direct):
        order = []

        async def first(call: faults.Call, forward: faults.Forward) -> faults.Answer:
            order.append("first")
            return await forward()

        async def last(call: faults.Call, forward: faults.Forward) -> faults.Answer:
            order.append("last")
            answer = await forward()
            order.append("last again")
            return answer

        proxy.inject(first)
        proxy.inject(last)
        await make(client, "a")
        assert order == ["last", "first", "last again"]
        assert await names(direct) == ["a"]


@pytest.mark.asyncio
async def test_a_fault_of_ones_own_may_send_something_else() -> None:
    async with front() as (proxy, client, direct):
        await make(direct, "a", "b")

        async def only_b(call: faults.Call, forward: faults.Forward) -> faults.Answer:
            call.sending = call.sending.asking(fieldSelector="metadata.name=b", limit=None)
            return await forward()

        proxy.inject(only_b)
        assert [one["metadata"]["name"] for one in (await client.get(CONFIGS, limit="1"))["items"]]
        assert await names(client) == ["b"]
        assert proxy.calls[0].query == {"limit": "1"}
