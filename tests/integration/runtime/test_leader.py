"""Several processes and one Lease: whatever happens to the leader, there are never two writers.

Every write is a blind create that is labelled with the term of its writer, so that nothing but the
election keeps an old leader from writing. The server's own order of the writes is the proof.
"""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from kedge.kube.kind import Object
from tests.integration.eventually import pause
from tests.integration.runtime.elect import LOST
from tests.integration.runtime.servers import Server, embedded, real
from tests.integration.runtime.wires import Wire

LEASE, RENEW, RETRY = 5, 3.5, 0.25
"""Seconds; with less, a busy machine would take a lease away from one that does nothing wrong."""
PATIENCE = 120.0
SOME = 20
COUNTS = [2, pytest.param(3, marks=pytest.mark.slow)]
"""Candidates; a third one shows nothing that two do not, but for its order in line."""
ROOT = Path(__file__).parents[3]


@pytest_asyncio.fixture(params=["embedded", pytest.param("real", marks=pytest.mark.slow)])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[Server]:
    if request.param == "real":
        async with real(request.getfixturevalue("real_cluster")) as found:
            yield found
    else:
        async with embedded() as found:
            yield found


@dataclass
class Candidate:
    """A process that stands for election, and the wire that connects it."""

    identity: str
    process: asyncio.subprocess.Process
    wire: Wire
    term: int = -1
    heard: list[str] = field(default_factory=list)

    async def said(self, word: str) -> str:
        """Wait until it says something that begins with a word."""
        assert self.process.stdout is not None
        while True:
            for line in self.heard:
                if line.split()[0] == word:
                    return line
            line = (await self.process.stdout.readline()).decode().strip()
            assert line, f"{self.identity} ended, and never said {word!r}: {self.heard}"
            self.heard.append(line)

    async def leads(self) -> "Candidate":
        """Wait until it leads."""
        self.term = int((await self.said("leading")).split()[1])
        return self

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def ended(self) -> int:
        return await self.process.wait()


class Election:
    """Candidates for one Lease, and the log of what they wrote."""

    def __init__(self, server: Server, namespace: str, stack: AsyncExitStack) -> None:
        self._server = server
        self.namespace = namespace
        self._stack = stack
        self.all: list[Candidate] = []

    async def join(self, count: int) -> None:
        """Start so many candidates."""
        for _ in range(count):
            wire = await self._stack.enter_async_context(Wire(self._server.url))
            identity = f"c{len(self.all)}"
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.integration.runtime.elect"),
                *("--server", wire.url, "--ca", str(self._server.ca)),
                *("--token", self._server.token, "--namespace", self.namespace),
                *("--identity", identity, "--lease", str(LEASE)),
                *("--renew", str(RENEW), "--retry", str(RETRY)),
                stdout=asyncio.subprocess.PIPE,
                cwd=ROOT,
            )
            self._stack.push_async_callback(_end, process)
            self.all.append(Candidate(identity, process, wire))
        for candidate in self.all[-count:]:
            await candidate.said("ready")

    async def leader(self, *but: Candidate) -> Candidate:
        """Wait until one that is not among these leads."""
        async with asyncio.timeout(PATIENCE):
            waiting = [asyncio.ensure_future(c.leads()) for c in self.all if c not in but]
            done, others = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for other in others:
                other.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            return done.pop().result()

    async def writes(self) -> list[tuple[int, str]]:
        """Give term and writer of all writes, in the order in which the server did them."""
        path = f"/api/v1/namespaces/{self.namespace}/configmaps"
        found = []
        for item in (await self._server.plain.get(path))["items"]:
            labels = item["metadata"].get("labels") or {}
            if "term" in labels:
                version = int(item["metadata"]["resourceVersion"])
                found.append((version, int(labels["term"]), labels["identity"]))
        return [(term, identity) for _, term, identity in sorted(found)]

    async def wrote(self, candidate: Candidate, count: int = SOME) -> None:
        """Wait until one has written so many more."""
        before = (await self.writes()).count((candidate.term, candidate.identity))
        async with asyncio.timeout(PATIENCE):
            while True:
                wrote = await self.writes()
                if wrote.count((candidate.term, candidate.identity)) >= before + count:
                    return
                await pause(0.05)

    async def check(self, *terms: Candidate) -> None:
        """Insist that these led in turn, and that no one wrote after a later one had begun."""
        writes = await self.writes()
        order = [write for n, write in enumerate(writes) if not n or writes[n - 1] != write]
        assert order == [(one.term, one.identity) for one in terms]
        assert [one.term for one in terms] == sorted({one.term for one in terms})


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()


def _is_other(one: Object, another: Object) -> bool:
    return bool(one["metadata"]["uid"] != another["metadata"]["uid"])


@pytest_asyncio.fixture
async def election(server: Server) -> AsyncIterator[Election]:
    async with AsyncExitStack() as stack:
        yield Election(server, await server.namespace(), stack)


@pytest.mark.asyncio
@pytest.mark.parametrize("count", COUNTS)
async def test_a_leader_that_is_killed_is_followed_by_another(
    election: Election, count: int
) -> None:
    await election.join(count)
    led: list[Candidate] = []
    for _ in range(count):
        leader = await election.leader(*led)
        await election.wrote(leader)
        leader.signal(signal.SIGKILL)
        await leader.ended()
        led.append(leader)
    await election.check(*led)


@pytest.mark.asyncio
@pytest.mark.parametrize("count", COUNTS)
async def test_a_leader_that_was_frozen_writes_nothing_when_it_thaws(
    election: Election, count: int
) -> None:
    await election.join(count)
    led: list[Candidate] = []
    for _ in range(count - 1):
        leader = await election.leader(*led)
        await election.wrote(leader)
        leader.signal(signal.SIGSTOP)
        led.append(leader)
    last = await election.leader(*led)
    await election.wrote(last)
    for frozen in led:
        frozen.signal(signal.SIGCONT)
        assert await frozen.ended() == LOST
    await election.wrote(last)
    await election.check(*led, last)


@pytest.mark.asyncio
@pytest.mark.parametrize("way", ["stall", "cut"])
@pytest.mark.parametrize("count", COUNTS)
async def test_a_leader_that_hears_nothing_stops_before_another_begins(
    election: Election, count: int, way: str
) -> None:
    await election.join(count)
    leader = await election.leader()
    await election.wrote(leader)
    if way == "stall":
        leader.wire.stall()
    else:
        leader.wire.cut()
    following = await election.leader(leader)
    await election.wrote(following)
    leader.wire.mend(lost=True)
    assert await leader.ended() == LOST
    await election.wrote(following)
    await election.check(leader, following)


@pytest.mark.asyncio
async def test_a_split_that_is_short_changes_nothing(election: Election) -> None:
    await election.join(2)
    leader = await election.leader()
    for _ in range(3):
        leader.wire.stall()
        await pause(RENEW / 4)
        leader.wire.mend()
        await election.wrote(leader)
    await election.check(leader)


@pytest.mark.asyncio
async def test_a_leader_that_stops_in_good_order_is_followed_at_once(election: Election) -> None:
    await election.join(2)
    first = await election.leader()
    await election.wrote(first)
    first.signal(signal.SIGTERM)
    await first.said("released")
    assert await first.ended() == 0
    second = await election.leader(first)
    await election.wrote(second)
    await election.check(first, second)


@pytest.mark.asyncio
async def test_a_lease_that_somebody_deletes_does_not_make_two_writers(
    election: Election, server: Server
) -> None:
    await election.join(2)
    leader = await election.leader()
    for other in election.all:
        if other is not leader:
            await other.said("another")
    lease = f"/apis/coordination.k8s.io/v1/namespaces/{election.namespace}/leases/boat"
    for _ in range(3):
        gone = await server.plain.get(lease)
        await server.plain.delete(lease)
        await server.plain.until(lease, partial(_is_other, gone))
        await election.wrote(leader)
    await election.check(leader)
