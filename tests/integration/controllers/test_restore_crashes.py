"""The controller ends at each of its calls, or the network fails it: no Restore hangs or lies."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.kube.kind import Object
from kedge.testing import Client, crash, faults
from tests.integration.controllers.wharf import (
    BUCKET,
    CONFIG_MAPS,
    FINALIZER,
    RESTORES,
    TERMINAL,
    Server,
    config,
    defined,
    files_of,
    manifest,
    phase,
    prepare,
    store_backup,
    write_status,
)
from tests.integration.sweeps import WRITES, Cut, cuts, daily, undisturbed
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio


@dataclass
class Crossing:
    """Restores of one Backup, and one that is on its way out; each cluster has a folder."""

    top: Path
    names: tuple[str, ...] = ("first",)
    kinds: Sequence[Object] = field(default_factory=crds)
    number: int = 0

    def scenario(self) -> crash.Scenario:
        """Give it as the crash harness takes it."""
        return crash.Scenario(
            self.start, self.prepare, self.is_settled, self.end_state, lambda: defined(self.kinds)
        )

    @property
    def folder(self) -> Path:
        """The folder of this cluster."""
        return self.top / str(self.number)

    def start(self, url: str) -> AbstractAsyncContextManager[object]:
        """Run the controller."""
        return Server(self.folder).running(url)

    async def prepare(self, client: Client) -> None:
        """Make all that is to be found."""
        self.number += 1
        store_backup(self.folder, "b", [config("one"), config("two")])
        await prepare(client)
        for name in self.names:
            await client.create(RESTORES, manifest(name))
        await client.create(RESTORES, manifest("old", {"finalizers": [FINALIZER]}))
        done = {"phase": "Completed", "startTimestamp": "2030-01-01T00:00:00Z"}
        await write_status(client, f"{RESTORES}/old", done)
        path = self.folder / BUCKET / "restores" / "old" / "restore-old-logs.gz"
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
        await client.delete(f"{RESTORES}/old")

    async def is_settled(self, client: Client) -> bool:
        """Tell whether all have come to their end."""
        found = (await client.get(RESTORES))["items"]
        return len(found) == len(self.names) and all(phase(one) in TERMINAL for one in found)

    async def end_state(self, client: Client) -> Any:
        """Give what must hold of each, and how many failed if that was more than one."""
        found = {one["metadata"]["name"]: one for one in (await client.get(RESTORES))["items"]}
        failed = [name for name, one in found.items() if phase(one) == "Failed"]
        configs = [one["metadata"]["name"] for one in (await client.get(CONFIG_MAPS))["items"]]
        is_back = sorted(configs) == ["one", "two"] or len(failed) == len(found)
        return {
            "wrong": [self._problem(one) for one in found.values()],
            "failed": failed if len(failed) > 1 else [],
            "files of old": len(files_of(self.folder, "old")),
            "missing objects": [] if is_back else configs,
        }

    def _problem(self, one: Object) -> str:
        status, name = one["status"], one["metadata"]["name"]
        if one["metadata"]["finalizers"] != [FINALIZER]:
            return f"finalizers {one['metadata']['finalizers']}"
        if "completionTimestamp" not in status:
            return "no completionTimestamp"
        if status["phase"] == "Failed":
            return "" if "InProgress" in status["failureReason"] else status["failureReason"]
        if status["phase"] != "Completed" or len(files_of(self.folder, name)) != 5:
            return f"{status['phase']} with {len(files_of(self.folder, name))} files"
        return "" if status["progress"]["itemsRestored"] == 2 else str(status["progress"])


@pytest.mark.parametrize("cut", cuts(thin=6, whole=2 * 12))
async def test_it_survives_an_end_at_its_calls(tmp_path: Path, cut: Cut) -> None:
    crashes = await cut.crashes(Crossing(tmp_path).scenario())
    writes = {
        one.call.split("?")[0] for one in crashes if one.call.startswith(("PATCH", "PUT", "POST"))
    }
    assert any("/restores/first" in call for call in writes)
    assert not cut.is_whole or any("configmaps" in call for call in writes)


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
    "503": lambda proxy: proxy.inject(
        faults.Refuse(faults.failure(503)), faults.matches(resource="restores"), times=5
    ),
    "429": lambda proxy: proxy.inject(faults.Refuse(faults.too_many_requests(0)), times=5),
}


DAILY = (
    "answers to writes lost",
    "done but conflict",
    "503",
    "429",
)


@pytest.mark.parametrize("fault", daily(FAULTS, DAILY))
async def test_it_comes_to_the_same_end_under_faults(tmp_path: Path, fault: str) -> None:
    crossing = Crossing(tmp_path, ("first", "second"), stock_crds())
    expected = await undisturbed("restores", crossing.scenario())
    found = await crash.run(crossing.scenario(), FAULTS[fault])
    assert not crash.difference(expected, found)
