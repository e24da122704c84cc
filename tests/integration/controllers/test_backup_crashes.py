"""Queue and backups end at each of their calls, or the network fails them: the end is sound."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.kube.kind import Object
from kedge.testing import Client, Cluster, crash, faults
from tests.integration.controllers.quay import (
    BACKUPS,
    TERMINAL,
    Server,
    defined,
    files_in,
    manifest,
    metadata,
    phase,
    prepare,
    problems,
)
from tests.integration.sweeps import WRITES, Cut, cuts, daily
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}
INTERRUPTED = 'found a backup with status "InProgress" during the server starting'


@dataclass
class Trip:
    """A scenario: each cluster has a folder of its own."""

    kinds: Sequence[Object]
    folder: Path
    has_bad: bool = True
    has_next: bool = False
    """Whether another one waits for the first."""
    count: int = 0
    ends: list[str] = field(default_factory=list)

    def scenario(self) -> crash.Scenario:
        """Give it as the crash harness takes it."""
        return crash.Scenario(
            self.start, self.prepare, self.is_settled, self.end_state, self.cluster
        )

    @property
    def home(self) -> Path:
        """The folder of this cluster."""
        return self.folder / str(self.count)

    @asynccontextmanager
    async def cluster(self) -> AsyncIterator[Cluster]:
        """Make a cluster, and a place for its backups."""
        self.count += 1
        async with defined(self.kinds) as kube:
            yield kube

    def start(self, url: str) -> AbstractAsyncContextManager[object]:
        """Run the controllers."""
        return Server(self.home).running(url)

    async def prepare(self, client: Client) -> None:
        """Ask for a backup, and for one that is wrong."""
        await prepare(client)
        await client.create(BACKUPS, manifest("good"))
        if self.has_next:
            await client.create(BACKUPS, manifest("next"))
        if self.has_bad:
            await client.create(BACKUPS, manifest("bad", spec={"includedNamespaces": ["a["]}))

    async def is_settled(self, client: Client) -> bool:
        """Tell whether all is done."""
        found = (await client.get(BACKUPS))["items"]
        return all(phase(one) in TERMINAL and not is_marked(one) for one in found)

    async def end_state(self, client: Client) -> Any:
        """Say what is to be the same: what is told of each is what is there."""
        found = (await client.get(BACKUPS))["items"]
        return {one["metadata"]["name"]: self._verdict(one) for one in found}

    def _verdict(self, backup: Object) -> Any:
        name, status = backup["metadata"]["name"], backup["status"]
        self.ends.append(phase(backup))
        if status.get("queuePosition", 0):
            return "it has a place in the queue"
        match phase(backup):
            case "Completed":
                kept = metadata(self.home, name)
                is_same = (kept["status"], kept["spec"]) == (status, backup["spec"])
                wrong = problems(self.home, name)
                return "sound" if is_same and not wrong else wrong or ["it differs"]
            case "Failed":
                is_clean = files_in(self.home, name) == []
                is_told = status["failureReason"].startswith(INTERRUPTED)
                return "sound" if is_clean and is_told else status
            case _:
                return status["validationErrors"]


def is_marked(backup: Object) -> bool:
    return "kedge.dev/unfinished-files" in (backup["metadata"].get("annotations") or {})


@pytest.mark.parametrize("kinds", daily(KINDS, ["our kinds"]))
@pytest.mark.parametrize("cut", cuts(thin=4, whole=2 * 9))
async def test_it_survives_an_end_at_its_calls(tmp_path: Path, kinds: str, cut: Cut) -> None:
    # One of them will do for the other kinds: each call is a crash, and takes its time.
    trip = Trip(KINDS[kinds](), tmp_path, has_bad=kinds == "our kinds")
    await cut.crashes(trip.scenario())
    if cut.is_whole:
        assert {"Completed", "Failed"} <= set(trip.ends)


@pytest.mark.parametrize("cut", cuts(thin=6, whole=2 * 12))
async def test_one_that_waits_survives_an_end_at_the_calls(tmp_path: Path, cut: Cut) -> None:
    trip = Trip(crds(), tmp_path, has_bad=False, has_next=True)
    await cut.crashes(trip.scenario())
    if cut.is_whole:
        assert {"Completed", "Failed"} <= set(trip.ends)


WATCHES = faults.matches(watch=True)
Before = Callable[[faults.Proxy], faults.Injection]
FAULTS: dict[str, Before] = {
    "requests lost": lambda proxy: proxy.inject(faults.LoseRequest(), times=5),
    "answers lost": lambda proxy: proxy.inject(faults.LoseAnswer(), WRITES, times=6),
    "done but conflict": lambda proxy: proxy.inject(
        faults.DoneBut(faults.conflict()), WRITES, times=6
    ),
    "done but failed": lambda proxy: proxy.inject(
        faults.DoneBut(faults.failure(500)), WRITES, times=6
    ),
    "conflicts": lambda proxy: proxy.inject(faults.Refuse(faults.conflict()), WRITES, times=6),
    "503": lambda proxy: proxy.inject(faults.Refuse(faults.failure(503)), times=8),
    "429": lambda proxy: proxy.inject(faults.Refuse(faults.too_many_requests(0)), times=5),
    "expired event": lambda proxy: proxy.inject(faults.ErrorEvent(2), WATCHES, times=3),
    "events twice": lambda proxy: proxy.inject(faults.DuplicateEvent(), WATCHES),
    "writes twice": lambda proxy: proxy.inject(faults.SendTwice(), WRITES),
    "events first": lambda proxy: proxy.inject(faults.EventFirst(), WRITES),
    "answers first": lambda proxy: proxy.inject(faults.AnswerFirst(), WRITES),
    "half a body": lambda proxy: proxy.inject(faults.TruncateBody(), times=4),
}


DAILY = (
    "requests lost",
    "answers lost",
    "done but conflict",
    "503",
    "expired event",
    "writes twice",
)


@pytest.mark.parametrize("fault", daily(FAULTS, DAILY))
async def test_it_is_completed_under_faults(tmp_path: Path, fault: str) -> None:
    trip = Trip(crds(), tmp_path)
    injections: list[faults.Injection] = []
    found = await crash.run(trip.scenario(), lambda proxy: injections.append(FAULTS[fault](proxy)))
    assert injections[0].hits
    assert found["good"] == "sound"
    assert sorted(trip.ends) == ["Completed", "FailedValidation"]


async def test_a_server_that_goes_away_again_and_again_is_no_hindrance(tmp_path: Path) -> None:
    trip = Trip(crds(), tmp_path)

    async def stumble(proxy: faults.Proxy) -> None:
        for _ in range(6):
            seen = len(proxy.calls)
            await proxy.signal.until(lambda seen=seen: len(proxy.calls) > seen + 1)  # type: ignore[misc]
            async with proxy.down():
                pass

    found = await crash.run(trip.scenario(), during=stumble)
    assert found["good"] == "sound"
    assert sorted(trip.ends) == ["Completed", "FailedValidation"]
