"""Two servers, and a leader that comes back late: each restore is run once, and told once."""

import asyncio

import pytest

from kedge.controllers.nar.controller import NarSettings
from kedge.testing import faults
from tests.integration.controllers.harbour import Events
from tests.integration.selfservice.mooring import (
    HOME,
    NARS,
    RESTORES,
    conditions,
    controlling,
    defined,
    manifest,
    phase,
    position,
    prepare,
    write_status,
)

pytestmark = pytest.mark.asyncio

SETTINGS = NarSettings(HOME, publish_seconds=0)
DONE = {"phase": "Completed", "completionTimestamp": "2030-01-01T00:00:00Z"}


async def test_a_leader_that_comes_back_late_does_nothing_again() -> None:
    """One that is held up before each of its writes in turn wakes up when another has done all."""
    async with defined() as kube:
        await prepare(kube.client)
        for number in range(4):
            name, reached, go = f"r{number}", asyncio.Event(), asyncio.Event()
            left = iter([False] * number)

            async def hold(
                call: faults.Call,
                left: object = left,
                reached: asyncio.Event = reached,
                go: asyncio.Event = go,
            ) -> None:
                if next(left, True):  # type: ignore[call-overload]
                    reached.set()
                    await go.wait()

            async with faults.proxy(kube) as slow, faults.proxy(kube) as quick:
                slow.inject(faults.Gate(before=hold), faults.matches(write=True))
                async with controlling(slow.url, SETTINGS, Events()):
                    await kube.client.create(NARS, manifest(name, {"backupName": "saved"}))
                    await asyncio.wait_for(reached.wait(), 30)
                    async with controlling(quick.url, SETTINGS, Events()):
                        made = await kube.client.until(
                            f"{NARS}/{name}", lambda one: phase(one) == "Created"
                        )
                        restore = made["status"]["veleroRestore"]["name"]
                        await write_status(kube.client, f"{RESTORES}/{restore}", DONE)
                        await kube.client.until(
                            f"{NARS}/{name}", lambda one: "Succeeded=True" in str(conditions(one))
                        )
                    go.set()
                    await kube.client.create(NARS, manifest(f"{name}-after", {"backupName": "no"}))
                    await kube.client.until(
                        f"{NARS}/{name}-after", lambda one: phase(one) == "BackingOff"
                    )
            one = await kube.client.get(f"{NARS}/{name}")
            assert one["status"]["veleroRestore"]["name"] == restore
            assert (phase(one), position(one)) == ("Created", 0)
            assert "Succeeded=True RestoreCompleted" in conditions(one)
            assert len((await kube.client.get(RESTORES))["items"]) == number + 1


async def test_two_at_once_make_each_restore_once_and_agree_on_the_line() -> None:
    async with defined() as kube, faults.proxy(kube) as proxy:
        await prepare(kube.client)
        async with (
            controlling(proxy.url, SETTINGS, Events()),
            controlling(proxy.url, SETTINGS, Events()),
        ):
            names = [f"r{number}" for number in range(6)]
            for name in names:
                await kube.client.create(NARS, manifest(name, {"backupName": "saved"}))
            for name in names:
                await kube.client.until(f"{NARS}/{name}", lambda one: phase(one) == "Created")
            made = (await kube.client.get(RESTORES))["items"]
            assert len(made) == 6
            first = min(made, key=lambda one: int(one["metadata"]["resourceVersion"]))
            await write_status(kube.client, f"{RESTORES}/{first['metadata']['name']}", DONE)
            async with asyncio.timeout(30):
                while True:
                    found = (await kube.client.get(NARS))["items"]
                    if sorted(map(str, map(position, found))) == ["0", "1", "2", "3", "4", "5"]:
                        break
