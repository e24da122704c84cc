"""The controller ends at each of its calls, or the network fails it: the end is the same."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

import pytest

from kedge.controllers.nar.controller import NarSettings
from kedge.kube.kind import Object
from kedge.testing import Client, crash, faults
from kedge.testing.state import state_of
from tests.integration.controllers.harbour import Events
from tests.integration.selfservice.mooring import (
    FINALIZER,
    HOME,
    NARS,
    RESTORES,
    conditions,
    controlling,
    defined,
    manifest,
    marks,
    phase,
    prepare,
    write_status,
)
from tests.integration.sweeps import WRITES, Cut, cuts, daily, undisturbed
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

TIME = "2030-01-01T00:00:00Z"


@dataclass
class Passage:
    """All that can become of a NonAdminRestore, in one cluster."""

    velero: Sequence[Object] | None = None
    names: tuple[str, ...] = ("first", "old", "lost")
    events: Events = field(default_factory=Events)

    def scenario(self) -> crash.Scenario:
        """Give it as the crash harness takes it."""
        return crash.Scenario(
            self.start, self.prepare, self.is_settled, self.end_state, lambda: defined(self.velero)
        )

    def start(self, url: str) -> AbstractAsyncContextManager[object]:
        """Run the controller."""
        settings = NarSettings(HOME, publish_seconds=0, workers=1)
        return controlling(url, settings, self.events)

    async def prepare(self, client: Client) -> None:
        """Make one that is new, one that is deleted, and one that has lost its Velero Restore."""
        await prepare(client)
        for name in self.names:
            made = name not in ("old", "lost")
            metadata = {} if made else {"finalizers": [FINALIZER]}
            await client.create(NARS, manifest(name, {"backupName": "saved"}, metadata))
        for name in ("old", "lost"):
            queued = {"type": "Queued", "status": "True", "reason": "RestoreScheduled"}
            status = {
                "phase": "Created",
                "veleroRestore": {"nacuuid": f"shop-{name}", "namespace": HOME},
                "conditions": [{**queued, "message": "", "lastTransitionTime": TIME}],
            }
            await client.patch(f"{NARS}/{name}/status", {"status": status})
        made_for = marks("nar", "shop-old", "shop", "old")
        restore = {"metadata": {"name": "shop-old", **made_for}, "spec": {"backupName": "b"}}
        kind = {"apiVersion": "velero.io/v1", "kind": "Restore"}
        await client.create(RESTORES, {**kind, **restore})
        await client.delete(f"{NARS}/old")

    async def is_settled(self, client: Client) -> bool:
        """Tell whether all is done; Velero ends the restore when it was told of."""
        nars = {one["metadata"]["name"]: one for one in (await client.get(NARS))["items"]}
        if "old" in nars or "Accepted=False" not in str(conditions(nars["lost"])):
            return False
        news = [one for name, one in nars.items() if name != "lost"]
        if any(phase(one) != "Created" for one in news):
            return False
        for one in news:
            name = one["status"]["veleroRestore"]["name"]
            done = {"phase": "Completed", "completionTimestamp": TIME}
            await write_status(client, f"{RESTORES}/{name}", done)
        return all("Succeeded=True" in str(conditions(one)) for one in news)

    async def end_state(self, client: Client) -> Any:
        """Read what is to be the same."""
        found = await state_of(client, NARS, RESTORES)
        for one in found:
            one["metadata"].pop("uid")  # it is told with a name that is another each time
            one["metadata"].pop("generation")  # of a stock Restore it counts a status, too
        return found


@pytest.mark.parametrize("cut", cuts(thin=9, whole=2 * 9, when=WRITES))
async def test_it_survives_an_end_at_its_writes(cut: Cut) -> None:
    await cut.by_method(Passage().scenario(), "POST", "PUT", "DELETE")


Before = Callable[[faults.Proxy], object]
FAULTS: dict[str, Before] = {
    "requests lost": lambda proxy: proxy.inject(faults.LoseRequest(), times=5),
    "answers lost": lambda proxy: proxy.inject(faults.LoseAnswer(), times=5),
    "answers to writes lost": lambda proxy: proxy.inject(faults.LoseAnswer(), WRITES, times=6),
    "done but conflict": lambda proxy: proxy.inject(
        faults.DoneBut(faults.conflict()), WRITES, times=6
    ),
    "done but failed": lambda proxy: proxy.inject(
        faults.DoneBut(faults.failure(500)), WRITES, times=6
    ),
    "conflicts": lambda proxy: proxy.inject(faults.Refuse(faults.conflict()), WRITES, times=6),
    "503": lambda proxy: proxy.inject(faults.Refuse(faults.failure(503)), times=5),
    "429": lambda proxy: proxy.inject(faults.Refuse(faults.too_many_requests(0)), times=5),
    "writes sent twice": lambda proxy: proxy.inject(faults.SendTwice(), WRITES, times=6),
    "watches end": lambda proxy: proxy.inject(
        faults.EndWatch(), faults.matches(verb="watch"), times=20
    ),
}


DAILY = (
    "answers to writes lost",
    "done but conflict",
    "503",
    "writes sent twice",
    "watches end",
)


@pytest.mark.parametrize("fault", daily(FAULTS, DAILY))
async def test_it_comes_to_the_same_end_under_faults(fault: str) -> None:
    passage = Passage(stock_crds(), ("first", "second", "old", "lost"))
    expected = await undisturbed("restores of tenants", passage.scenario())
    found = await crash.run(passage.scenario(), FAULTS[fault])
    assert not crash.difference(expected, found)


async def test_an_old_cache_does_not_run_a_restore_again() -> None:
    """The watch of NonAdminRestores hangs while the Velero Restore comes, ends and is deleted."""
    async with defined() as kube, faults.proxy(kube) as proxy:
        await prepare(kube.client)
        async with controlling(proxy.url, NarSettings(HOME), Events()) as manager:
            await kube.client.create(NARS, manifest("r", {"backupName": "saved"}))
            await kube.client.until(f"{NARS}/r", lambda one: "finalizers" in one["metadata"])
            watches = faults.matches(verb="watch", resource="nonadminrestores")
            with proxy.hold(watches):
                made = await kube.client.until(f"{NARS}/r", lambda one: phase(one) == "Created")
                name = made["status"]["veleroRestore"]["name"]
                await kube.client.delete(f"{RESTORES}/{name}")
                await kube.client.create(NARS, manifest("other", {"backupName": "saved"}))
                assert not manager.unsynced
            await kube.client.until(f"{NARS}/r", lambda one: "NotFound" in str(conditions(one)))
            await kube.client.until(f"{NARS}/other", lambda one: phase(one) == "Created")
        posts = [call for call in proxy.calls if call.method == "POST"]
        assert len(posts) == 2
