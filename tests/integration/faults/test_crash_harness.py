"""The crash harness passes a controller that is right, and finds what is wrong with others."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from typing import Any

import pytest

from kedge.client import ClientError
from kedge.kube.errors import AlreadyExists
from kedge.testing import Client, crash, faults
from kedge.testing.state import state_of
from tests.integration.faults.front import CONFIGS, WATCHES, WRITES, config
from tests.integration.sweeps import undisturbed

PARENTS = ("p0", "p1")
Reconcile = Callable[[Client, dict[str, Any]], Awaitable[None]]


def child_of(parent: dict[str, Any], **name: str) -> dict[str, Any]:
    metadata = parent["metadata"]
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "uid": metadata["uid"]}
    owners = [{**owner, "name": metadata["name"]}]
    return {"metadata": {**name, "ownerReferences": owners}, "data": {"from": metadata["name"]}}


def is_done(parent: dict[str, Any]) -> bool:
    return "done" in (parent.get("data") or {})


async def mark(client: Client, parent: dict[str, Any]) -> None:
    await client.patch(f"{CONFIGS}/{parent['metadata']['name']}", {"data": {"done": "true"}})


async def right(client: Client, parent: dict[str, Any]) -> None:
    """Make a child whose name is known, then say that it is done."""
    if is_done(parent):
        return
    with suppress(AlreadyExists):
        await client.create(CONFIGS, child_of(parent, name=f"{parent['metadata']['name']}-child"))
    await mark(client, parent)


async def forgetful(client: Client, parent: dict[str, Any]) -> None:
    """Make a child of any name: after a crash another one."""
    if not is_done(parent):
        await client.create(CONFIGS, child_of(parent, generateName="child-"))
        await mark(client, parent)


async def hasty(client: Client, parent: dict[str, Any]) -> None:
    """Say that it is done, then do it: after a crash nobody does."""
    if not is_done(parent):
        await mark(client, parent)
        await client.create(CONFIGS, child_of(parent, name=f"{parent['metadata']['name']}-child"))


async def proud(client: Client, parent: dict[str, Any]) -> None:
    """Take a child that is there for a failure: after a crash it never goes on."""
    if not is_done(parent):
        name = f"{parent['metadata']['name']}-child"
        try:
            await client.create(CONFIGS, child_of(parent, name=name))
        except AlreadyExists:
            return
        await mark(client, parent)


async def control(client: Client, reconcile: Reconcile) -> None:
    while True:
        try:
            found = await client.get(CONFIGS)
            for one in found["items"]:
                if one["metadata"]["name"] in PARENTS:
                    await reconcile(client, one)
            version = found["metadata"]["resourceVersion"]
            async with aclosing(client.watch(CONFIGS, resourceVersion=version)) as events:
                async for event in events:
                    metadata = event.object["metadata"]
                    if metadata.get("name") in PARENTS and event.type != "DELETED":
                        await reconcile(client, event.object)
        except ClientError:
            # The harness knows no patience with a loop that does not step aside.
            await asyncio.to_thread(int)


def running(reconcile: Reconcile) -> Callable[[str], AbstractAsyncContextManager[object]]:
    @asynccontextmanager
    async def start(url: str) -> AsyncIterator[None]:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        async with Client(url, "", tls) as client, asyncio.TaskGroup() as tasks:
            task = tasks.create_task(control(client, reconcile))
            try:
                yield
            finally:
                task.cancel()

    return start


async def prepare(client: Client) -> None:
    for name in PARENTS:
        await client.create(CONFIGS, config(name))


async def settled(client: Client) -> bool:
    found = await client.get(CONFIGS)
    return all(is_done(one) for one in found["items"] if one["metadata"]["name"] in PARENTS)


async def end_state(client: Client) -> Any:
    return await state_of(client, CONFIGS)


def scenario(reconcile: Reconcile, patience_seconds: float = 30.0) -> crash.Scenario:
    return crash.Scenario(
        running(reconcile), prepare, settled, end_state, patience_seconds=patience_seconds
    )


@pytest.mark.asyncio
async def test_a_controller_that_is_right_survives_each_crash() -> None:
    crashes = await crash.crash_everywhere(scenario(right))
    assert not any(one.problem for one in crashes)
    for side in faults.Side:
        called = [one.call.split("/")[0].strip() for one in crashes if one.side is side]
        # The list, then a child and a patch of each parent; the watch may come too late.
        assert called[:5] == ["GET", "POST", "PATCH", "POST", "PATCH"]
        assert [one.number for one in crashes if one.side is side] == list(range(len(called)))


@pytest.mark.asyncio
async def test_calls_of_no_interest_can_be_left_out() -> None:
    crashes = await crash.crash_everywhere(
        scenario(right), when=faults.matches(verb="create"), sides=[faults.Side.AFTER]
    )
    assert [one.call.split("/")[0].strip() for one in crashes] == ["POST", "POST"]
    assert {one.side for one in crashes} == {faults.Side.AFTER}


@pytest.mark.asyncio
async def test_every_third_call_can_be_enough() -> None:
    crashes = await crash.crash_everywhere(
        scenario(right), when=WRITES, sides=[faults.Side.AFTER], step=3
    )
    assert [one.number for one in crashes] == [0, 3]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("reconcile", "side", "call"),
    [(forgetful, faults.Side.AFTER, "POST"), (hasty, faults.Side.AFTER, "PATCH")],
)
async def test_what_differs_after_a_crash_is_found(
    reconcile: Reconcile, side: faults.Side, call: str
) -> None:
    with pytest.raises(crash.CrashError, match="crashes led to another end state") as caught:
        await crash.crash_everywhere(scenario(reconcile), sides=[side])
    found = [one for one in caught.value.crashes if one.side is side]
    assert {one.call for one in found if one.call.startswith(call)}
    assert f"stopped after call 1, {call} {CONFIGS}" in str(caught.value)
    assert "--- expected\n+++ found\n" in str(caught.value)


@pytest.mark.asyncio
async def test_a_controller_that_does_not_go_on_is_found() -> None:
    with pytest.raises(crash.CrashError, match="has not settled in time") as caught:
        await crash.crash_everywhere(scenario(proud, patience_seconds=2.0))
    assert {(one.side, one.number) for one in caught.value.crashes} >= {
        (faults.Side.AFTER, 1),
        (faults.Side.BEFORE, 2),
    }


@pytest.mark.asyncio
async def test_a_state_that_differs_by_itself_is_no_end_state() -> None:
    count = iter(range(10))

    async def never_the_same(client: Client) -> int:
        return next(count)

    odd = crash.Scenario(running(right), prepare, settled, never_the_same)
    with pytest.raises(ValueError, match="two undisturbed runs"):
        await crash.crash_everywhere(odd)


@pytest.mark.asyncio
async def test_calls_without_end_are_noticed() -> None:
    with pytest.raises(ValueError, match="more than 2 calls"):
        await crash.crash_everywhere(scenario(right), most=2)


@pytest.mark.asyncio
async def test_a_controller_that_can_not_run_ends_the_test() -> None:
    async def broken(client: Client, parent: dict[str, Any]) -> None:
        raise LookupError("mine")

    with pytest.raises(ExceptionGroup) as caught:
        await crash.crash_everywhere(scenario(broken))
    assert caught.group_contains(LookupError, match="mine")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "fault",
    [
        faults.LoseAnswer(),
        faults.LoseRequest(reset=True),
        faults.CutBody(20),
        faults.CutEvent(1),
        faults.SendTwice(),
        faults.EventFirst(),
        faults.AnswerFirst(),
        faults.DuplicateEvent(),
        faults.Split(),
    ],
    ids=lambda fault: type(fault).__name__,
)
async def test_faults_do_not_change_the_end_state(fault: faults.Fault) -> None:
    def disturb(proxy: faults.Proxy) -> None:
        proxy.inject(fault, WRITES, times=3)
        proxy.inject(fault, WATCHES, times=1)

    expected = await undisturbed("the harness", scenario(right))
    assert not crash.difference(expected, await crash.run(scenario(right), disturb))


@pytest.mark.asyncio
async def test_what_happens_during_a_run_happens_before_its_end() -> None:
    seen = []

    async def restart(proxy: faults.Proxy) -> None:
        await proxy.seen(WRITES)
        async with proxy.down():
            seen.append(len(proxy.calls))

    await crash.same_end_state(scenario(right), during=restart)
    assert seen


@pytest.mark.asyncio
async def test_another_end_state_under_a_fault_is_told() -> None:
    def disturb(proxy: faults.Proxy) -> None:
        proxy.inject(faults.LoseAnswer(), faults.matches(method="POST"), times=1)

    with pytest.raises(AssertionError, match="the faults led to another end state"):
        await crash.same_end_state(scenario(forgetful), disturb)
