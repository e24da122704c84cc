"""Self-service with the original as the engine, live: the line, what fails, and a dead engine.

Skipped without the original: `python tools/velero/build.py` builds it.
"""

import asyncio
from contextlib import aclosing

import pytest

from kedge.kube.kind import Object
from tests.velero.beside import (
    ADMINS,
    NAB,
    NAR,
    SHOP,
    VELERO,
    Beside,
    conditions,
    copied,
    message,
    of_tenant,
    position,
)
from tests.velero.server import NAMESPACE
from tests.velero.stage import SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


async def test_what_velero_refuses_has_failed(place: Beside) -> None:
    both = {"matchLabels": {"app": "shop"}}
    await place.backup("odd", labelSelector=both, orLabelSelectors=[both])
    nab = await place.ended(NAB, "odd")
    assert copied(nab)["phase"] == "FailedValidation"
    assert conditions(nab)["Failed"][0] == "True"
    assert "only one can be specified" in message(nab, "Failed")
    assert position(nab) == 0
    await place.set("odd", deleteBackup=True)
    await place.gone(of_tenant(NAB, "odd"))


async def test_what_fails_in_part_has_failed(place: Beside) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "till", "labels": {"app": "till"}},
        "spec": {"containers": [{"name": "till", "image": "till"}]},
    }
    await place.admin.create(f"/api/v1/namespaces/{SHOP}/pods", pod)
    run = {"exec": {"container": "till", "command": ["/bin/true"], "onError": "Fail"}}
    hook = {"name": "freeze", "includedNamespaces": [SHOP], "pre": [run]}
    await place.backup("broken", hooks={"resources": [hook]})
    nab = await place.ended(NAB, "broken")
    assert copied(nab)["phase"] == "PartiallyFailed"
    assert copied(nab)["errors"] > 0
    assert conditions(nab)["Failed"][0] == "True"
    assert position(nab) == 0


async def lined_up(place: Beside, *names: str) -> list[Object]:
    """Ask for backups all at once; wait until their positions are in the order of Velero's.

    Velero is to work on one, and to let the others wait. Gives them in that order.
    """
    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(place.backup(name))
    phases = ["InProgress", *["Queued"] * (len(names) - 1)]
    places = [*range(1, len(names) + 1)]

    def holds(found: list[Object]) -> bool:
        told = [(position(one), copied(one).get("phase")) for one in found]
        return told == list(zip(places, phases, strict=True))

    return await place.all_until(NAB, names, holds, by=_velero_s_order)


def _velero_s_order(nab: Object) -> tuple[int, int]:
    """Give Velero's number; it may give the same one to two that come at once."""
    return copied(nab).get("queuePosition", 0), position(nab) or 0


async def test_those_who_wait_are_told_velero_s_own_order(place: Beside) -> None:
    names = ("line-c", "line-b", "line-a")
    with place.stage.s3.held():
        await lined_up(place, *names)
    last = {name: len(names) for name in names}
    async with aclosing(place.tenant.watch(of_tenant(NAB))) as events:
        async for event in events:
            name, now = event.object["metadata"]["name"], position(event.object)
            if name not in last or now is None:
                continue
            assert now <= last[name]
            last[name] = now
            if not any(last.values()):
                break
    for name in names:
        assert copied(await place.ended(NAB, name))["phase"] == "Completed"


async def test_a_velero_that_was_down_goes_on(place: Beside) -> None:
    with place.stage.s3.held():
        cut_off, waiting = await lined_up(place, "one", "other")
        place.engine.stop()
    await place.backup("late")
    late = await place.until(NAB, "late", lambda one: position(one) is not None)
    assert position(late) == 3
    assert conditions(late)["Queued"][0] == "True"
    place.engine.start()
    cut = await place.ended(NAB, cut_off["metadata"]["name"])
    assert copied(cut)["phase"] == "Failed"
    assert conditions(cut)["Failed"][0] == "True"
    for name in (waiting["metadata"]["name"], "late"):
        nab = await place.ended(NAB, name)
        assert copied(nab)["phase"] == "Completed"
        assert position(nab) == 0
    assert position(cut) == 0


async def test_those_of_the_administrator_are_in_the_same_line(place: Beside) -> None:
    backup = {"metadata": {"name": "admins"}, "spec": {"includedNamespaces": [NAMESPACE]}}
    with place.stage.s3.held():
        await place.admin.create(
            f"{VELERO}/backups", {"apiVersion": "velero.io/v1", "kind": "Backup", **backup}
        )
        await place.admin.until(
            f"{VELERO}/backups/admins",
            lambda one: one.get("status", {}).get("phase") == "InProgress",
            SECONDS,
        )
        await place.backup("behind")
        nab = await place.until(NAB, "behind", lambda one: copied(one).get("phase") == "Queued")
        assert position(nab) == 2
        await place.set("behind", forceDeleteBackup=True)
        await place.gone(of_tenant(NAB, "behind"))
    await place.stage.ended("Backup", "admins")


async def test_what_is_deleted_while_velero_works_on_it_is_gone_in_the_end(place: Beside) -> None:
    with place.stage.s3.held():
        (nab,) = await lined_up(place, "hasty")
        await place.set("hasty", deleteBackup=True)
        nab = await place.until(
            NAB, "hasty", lambda one: "still in progress" in message(one, "Deleting")
        )
        assert nab["status"]["veleroDeleteBackupRequest"]["status"]["phase"] == "Processed"
    await place.gone(of_tenant(NAB, "hasty"))
    name = nab["status"]["veleroBackup"]["name"]
    assert not await place.is_there(f"{VELERO}/backups/{name}")
    assert place.keys(ADMINS, name) == []


async def test_those_behind_one_that_is_deleted_move_up(place: Beside) -> None:
    with place.stage.s3.held():
        line = await lined_up(place, "first", "second", "third")
        first, second, third = (one["metadata"]["name"] for one in line)
        await place.set(second, forceDeleteBackup=True)
        await place.gone(of_tenant(NAB, second))
        nab = await place.until(NAB, third, lambda one: position(one) == 2)
        assert copied(nab)["phase"] == "Queued"
        await place.set(third, forceDeleteBackup=True)
        await place.gone(of_tenant(NAB, third))
    await place.ended(NAB, first)


async def test_what_the_administrator_deletes_is_lost_and_not_made_again(place: Beside) -> None:
    name = await place.saved("taken")
    await place.stage.run("backup", "delete", name, "--confirm")
    nab = await place.until(
        NAB, "taken", lambda one: conditions(one)["Accepted"] == ("False", "VeleroBackupNotFound")
    )
    assert nab["status"]["phase"] == "Created"
    assert position(nab) == 0
    assert not await place.is_there(f"{VELERO}/backups/{name}")


async def test_restores_wait_in_a_line_of_their_own(place: Beside) -> None:
    await place.saved("source")
    with place.stage.s3.held():
        for name in ("back-1", "back-2"):
            await place.make(NAR, name, {"restoreSpec": {"backupName": "source"}})
            await place.until(NAR, name, lambda one: position(one) is not None)
        first = await place.until(
            NAR, "back-1", lambda one: copied(one, "veleroRestore").get("phase") == "InProgress"
        )
        second = await place.until(NAR, "back-2", lambda one: position(one) == 2)
        assert position(first) == 1
        assert copied(second, "veleroRestore").get("phase", "New") == "New"
        place.engine.stop()
    place.engine.start()
    cut = await place.ended(NAR, "back-1")
    assert copied(cut, "veleroRestore")["phase"] == "Failed"
    assert conditions(cut)["Failed"][0] == "True"
    done = await place.ended(NAR, "back-2")
    assert copied(done, "veleroRestore")["phase"] == "Completed"
    assert [position(cut), position(done)] == [0, 0]
