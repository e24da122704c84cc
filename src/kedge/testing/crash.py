"""Crash everywhere: a controller ends before and after each API call, and another takes over.

Whatever call the first one ended at, the cluster must come to the same end state as without a
crash. Nothing here knows what the controller is: it is something that runs against a URL.
"""

import asyncio
import difflib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from kedge.aio.clock import Clock, SystemClock
from kedge.testing import faults
from kedge.testing.client import Client
from kedge.testing.cluster import Cluster, cluster

PAUSE_SECONDS = 0.02
"""Between two looks at a cluster."""
QUIET_LOOKS = 5
"""So often in a row must a cluster have settled, with no new call in between."""
MOST_CALLS = 1000
"""A controller that still makes calls after so many has no end state."""


@dataclass(frozen=True)
class Scenario:
    """A controller, what it is to do, and how to tell that it is done."""

    start: Callable[[str], AbstractAsyncContextManager[object]]
    """Runs the controller against the API at this URL (plain http, with all rights) while the
    block runs. Leaving it is a graceful stop; being cancelled in it is the crash."""
    prepare: Callable[[Client], Awaitable[object]]
    """Puts the objects into a fresh cluster that the controller is to find."""
    settled: Callable[[Client], Awaitable[bool]]
    """Tells whether the controller has done all it has to."""
    end_state: Callable[[Client], Awaitable[Any]]
    """Reads what is to be the same after each crash; see `kedge.testing.state`."""
    cluster: Callable[[], AbstractAsyncContextManager[Cluster]] = cluster
    """Makes a fresh cluster."""
    patience_seconds: float = 30.0
    """Real time that one life may take to settle, and to end."""
    clock: Clock = SystemClock()  # noqa: RUF009 - it has no state


@dataclass(frozen=True)
class Crash:
    """One end of a controller, and what it led to."""

    number: int
    side: faults.Side
    call: str
    """What was called: the method and the path."""
    problem: str = ""
    """How the end state differs from that without a crash, or why there is none."""

    def __str__(self) -> str:
        """Tell it in a line, the problem below."""
        text = f"stopped {self.side.value} call {self.number}, {self.call}"
        return f"{text}: {self.problem}" if self.problem else text


class CrashError(AssertionError):
    """At least one crash led to another end state."""

    def __init__(self, crashes: Sequence[Crash]) -> None:
        """Tell all that went wrong."""
        self.crashes = [crash for crash in crashes if crash.problem]
        head = f"{len(self.crashes)} of {len(crashes)} crashes led to another end state"
        super().__init__("\n".join([head, *map(str, self.crashes)]))


class NotSettled(Exception):
    """The controller did not do all it has to within the patience."""


async def crash_everywhere(
    scenario: Scenario,
    most: int = MOST_CALLS,
    *,
    when: faults.Matcher = faults.every,
    sides: Sequence[faults.Side] = tuple(faults.Side),
    step: int = 1,
) -> list[Crash]:
    """End the controller before and after each of its calls; return all crashes.

    Each has a fresh cluster, one controller that ends there, and one that runs until all is
    settled. Raises CrashError if any end state is not that of an undisturbed run. `when` and
    `sides` leave out calls of no interest, such as all that only read; with a `step` of 3 it is
    every third call, from the first on.
    """
    expected = await run(scenario)
    if problem := difference(expected, await run(scenario)):
        raise ValueError(f"two undisturbed runs must have the same end state: {problem}")
    crashes: list[Crash] = []
    for side in sides:
        for number in range(0, most + 1, step):
            crash = await _crash(scenario, faults.Stop(number, side), expected, when)
            if crash is None:
                break
            crashes.append(crash)
        else:
            raise ValueError(f"the controller makes more than {most} calls before it settles")
    if any(crash.problem for crash in crashes):
        raise CrashError(crashes)
    return crashes


async def run(
    scenario: Scenario,
    before: Callable[[faults.Proxy], object] | None = None,
    during: Callable[[faults.Proxy], Awaitable[object]] | None = None,
) -> Any:
    """Run one controller in a fresh cluster, and give the end state; raises NotSettled.

    `before` can inject faults before the controller starts; `during` runs beside it, and nothing
    counts as settled before it returns.
    """
    async with _prepared(scenario) as kube:
        async with faults.proxy(kube) as proxy:
            if before is not None:
                before(proxy)
            await _life(scenario, kube, proxy, during)
        return await scenario.end_state(kube.client)


async def same_end_state(
    scenario: Scenario,
    before: Callable[[faults.Proxy], object] | None = None,
    during: Callable[[faults.Proxy], Awaitable[object]] | None = None,
) -> None:
    """Run with faults and without; raises AssertionError if the end states differ."""
    problem = difference(await run(scenario), await run(scenario, before, during))
    if problem:
        raise AssertionError(f"the faults led to another end state: {problem}")


def difference(expected: Any, found: Any) -> str:
    """Tell how two states differ, line by line; nothing if they do not."""
    if expected == found:
        return ""
    lines = difflib.unified_diff(_lines(expected), _lines(found), "expected", "found", lineterm="")
    return "\n".join(["", *lines])


def _lines(state: Any) -> list[str]:
    raw = msgspec.json.encode(state, order="deterministic")
    return msgspec.json.format(raw, indent=2).decode().split("\n")


@asynccontextmanager
async def _prepared(scenario: Scenario) -> AsyncIterator[Cluster]:
    async with scenario.cluster() as kube:
        await scenario.prepare(kube.client)
        yield kube


async def _life(
    scenario: Scenario,
    kube: Cluster,
    proxy: faults.Proxy,
    during: Callable[[faults.Proxy], Awaitable[object]] | None = None,
) -> None:
    is_settled = True
    async with scenario.start(proxy.url):
        try:
            async with asyncio.timeout(scenario.patience_seconds):
                if during is not None:
                    await during(proxy)
                await _until_settled(scenario, kube, proxy)
        except TimeoutError:
            is_settled = False
    # Not within the block: the controller would wrap it into something of its own.
    if not is_settled:
        raise NotSettled("the controller has not settled in time")


async def _until_settled(scenario: Scenario, kube: Cluster, proxy: faults.Proxy) -> None:
    """Wait until all is done, and the controller has heard it and asks for nothing more.

    One look is not enough: the controller may be between two of its calls.
    """
    quiet, seen = 0, -1
    while quiet < QUIET_LOOKS:
        is_settled = await scenario.settled(kube.client)
        is_quiet = all(call.is_over or call.request.is_watch for call in proxy.calls)
        is_same, seen = len(proxy.calls) == seen, len(proxy.calls)
        quiet = quiet + 1 if is_settled and is_quiet and is_same else 0
        await scenario.clock.sleep(PAUSE_SECONDS)


async def _crash(
    scenario: Scenario, stop: faults.Stop, expected: Any, when: faults.Matcher
) -> Crash | None:
    """End one controller, and let the next one finish; None if it made no such call."""
    async with _prepared(scenario) as kube:
        async with faults.proxy(kube) as proxy:
            proxy.inject(stop, when)
            if not await _until_stopped(scenario, stop, kube, proxy):
                return None
        call = stop.call
        told = f"{call.method} {call.request.target}" if call is not None else ""
        try:
            async with faults.proxy(kube) as proxy:
                await _life(scenario, kube, proxy)
        except NotSettled as exc:
            return Crash(stop.at, stop.side, told, str(exc))
        problem = difference(expected, await scenario.end_state(kube.client))
        return Crash(stop.at, stop.side, told, problem)


async def _until_stopped(
    scenario: Scenario, stop: faults.Stop, kube: Cluster, proxy: faults.Proxy
) -> bool:
    """Run a controller until it is stopped, and let it end; False if it came to its own end."""
    async with asyncio.TaskGroup() as tasks:
        life = tasks.create_task(_doomed(scenario, stop, kube, proxy))
        reached = tasks.create_task(stop.reached.wait())
        await asyncio.wait({life, reached}, return_when=asyncio.FIRST_COMPLETED)
        reached.cancel()
        if not stop.reached.is_set():
            return False
        life.cancel()
        # Whatever it still tries on its way out fails at once.
        async with proxy.down():
            _, waiting = await asyncio.wait({life}, timeout=scenario.patience_seconds)
            if waiting:
                raise TimeoutError("the controller did not end when it was cancelled")
    return True


async def _doomed(
    scenario: Scenario, stop: faults.Stop, kube: Cluster, proxy: faults.Proxy
) -> None:
    try:
        await _life(scenario, kube, proxy)
    except Exception:
        # What a controller says in the moment of its end is of no interest.
        if not stop.reached.is_set():
            raise
