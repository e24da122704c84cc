"""Lists of backups that follow one another may be a little old, but never older than the Backup."""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from kedge.aio.background import background
from kedge.engine.backup.run import back_up
from kedge.kube.kind import Object
from kedge.runtime.version import is_older
from kedge.testing import FakeClock, faults
from tests.integration.controllers.quay import QUICK, Server, quay, saved

pytestmark = pytest.mark.asyncio

CONFIGS = "/api/v1/namespaces/default/configmaps"
EMPTY = "/api/v1/namespaces/empty"
LISTS = faults.matches(verb="list", resource="configmaps")


def timeless(folder: Path) -> Server:
    """Give a server whose clock stands still: however slow it is, no write is too long ago."""
    return Server(folder, clock=FakeClock(), collect=back_up)


async def let_retry(clock: FakeClock) -> None:
    """Let time pass for those who try again, and for nobody else."""
    while True:
        await clock.slept(lambda delays: bool(delays) and delays[0] <= QUICK.most)
        clock.advance(timedelta(seconds=QUICK.most))


@dataclass
class Lagging:
    """A server that gives the oldest answer that a request allows."""

    bounds: list[str] = field(default_factory=list)
    """The versions that it was asked for."""
    old: int = 0
    """How many answers were not the newest."""
    _kept: list[tuple[str, bytes]] = field(default_factory=list)

    async def __call__(self, call: faults.Call, forward: faults.Forward) -> faults.Answer:
        version = call.request.query.get("resourceVersion", "")
        self.bounds.append(version)
        if version:
            assert call.request.query["resourceVersionMatch"] == "NotOlderThan"
            for kept, body in self._kept:
                if not is_older(kept, version):
                    self.old += 1
                    return faults.answer_with(200, body, "application/json")
        answer = await forward()
        body = await answer.read()
        self._kept.append((json.loads(body)["metadata"]["resourceVersion"], body))
        return answer


async def test_a_backup_has_what_is_there_when_it_is_made(tmp_path: Path) -> None:
    lagging = Lagging()
    async with quay(timeless(tmp_path)) as port, port.running():
        port.proxy.inject(lagging, LISTS)
        for number in range(4):
            await port.admin.create(CONFIGS, config(f"c{number}"))
            await port.backup(f"with{number}", includedNamespaces=["default"])
            assert (await port.ended(f"with{number}"))["phase"] == "Completed"
            assert f"default/c{number}" in saved(tmp_path, f"with{number}")
            await port.admin.delete(f"{CONFIGS}/c{number}")
            await port.backup(f"without{number}", includedNamespaces=["default"])
            assert (await port.ended(f"without{number}"))["phase"] == "Completed"
            assert f"default/c{number}" not in saved(tmp_path, f"without{number}")
    assert lagging.bounds[0] == ""
    assert all(lagging.bounds[1:])


async def test_backups_that_wait_have_what_was_there_before_them(tmp_path: Path) -> None:
    """All are asked for at once, and what each must have is made right before it."""
    lagging, names = Lagging(), [f"{number:02d}" for number in range(12)]
    async with quay(timeless(tmp_path)) as port:
        port.proxy.inject(lagging, LISTS)
        for name in names:
            await port.admin.create(CONFIGS, config(f"c{name}"))
            await port.backup(f"b{name}", includedNamespaces=["default"])
        async with port.running():
            for name in names:
                assert (await port.ended(f"b{name}"))["phase"] == "Completed"
                assert f"default/c{name}" in saved(tmp_path, f"b{name}")
    assert lagging.old > 0, "no list was older than it could be"


async def test_empty_lists_are_asked_for_once_by_those_that_follow_one_another(
    tmp_path: Path,
) -> None:
    names = [f"{number:02d}" for number in range(12)]
    async with quay(timeless(tmp_path)) as port:
        await port.admin.create("/api/v1/namespaces", {"metadata": {"name": "empty"}})
        for name in names:
            await port.backup(f"b{name}", includedNamespaces=["empty"])
        async with port.running():
            for name in names:
                assert (await port.ended(f"b{name}"))["phase"] == "Completed"
            lists = [c.path for c in port.proxy.calls if c.path.startswith(f"{EMPTY}/")]
            assert 1 <= max(Counter(lists).values()) <= 2
            await port.admin.create(f"{EMPTY}/configmaps", config("c"))
            await port.backup("last", includedNamespaces=["empty"])
            assert (await port.ended("last"))["phase"] == "Completed"
            assert "empty/c" in saved(tmp_path, "last")


async def test_a_server_that_does_not_know_the_version_is_asked_exactly(tmp_path: Path) -> None:
    def is_bound(request: faults.Request) -> bool:
        return LISTS(request) and "resourceVersion" in request.query

    clock = FakeClock()
    server = Server(tmp_path, clock=clock, collect=back_up)
    async with quay(server) as port, port.running(), background(let_retry(clock)):
        await port.admin.create(CONFIGS, config("c"))
        port.proxy.inject(faults.Refuse(faults.failure(504)), is_bound)
        for name in ("first", "second", "third"):
            await port.backup(name, includedNamespaces=["default"])
            assert (await port.ended(name))["phase"] == "Completed"
            assert "default/c" in saved(tmp_path, name)


def config(name: str) -> Object:
    return {"metadata": {"name": name}}
