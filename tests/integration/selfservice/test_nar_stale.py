"""What is restored is what was judged: a Velero Backup that was replaced meanwhile is not."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from kedge.client import Selection
from kedge.controllers.nar.heads import RESTORES as RESTORE_KIND
from kedge.controllers.nar.waking import ORIGIN, by_origin
from kedge.kube.kind import Object
from kedge.runtime import Keeping, Key
from kedge.testing import FakeClock, faults
from tests.integration.eventually import pause
from tests.integration.selfservice.mooring import (
    BACKUPS,
    HOME,
    NACUUID,
    NARS,
    OTHER,
    RESTORES,
    TENANT,
    Mooring,
    conditions,
    marks,
    message,
    mooring,
    phase,
)

pytestmark = pytest.mark.asyncio

BACKUP = f"{BACKUPS}/{NACUUID}"
WATCH = faults.matches(watch=True, resource="backups")
READ = faults.matches(method="GET", path=BACKUP)
NOT_READY = "not ready to be restored"


async def _replace(port: Mooring, origin: Object) -> None:
    await port.admin.delete(BACKUP)
    made = {"apiVersion": "velero.io/v1", "kind": "Backup", "spec": {}}
    await port.admin.create(BACKUPS, {**made, "metadata": {"name": NACUUID, **origin}})
    await port.set_status(BACKUP, {"phase": "Completed"})


async def replaced(port: Mooring) -> None:
    """Put another one in its place, that says the same of itself."""
    await _replace(port, marks("nab", NACUUID, TENANT, "saved"))


async def taken(port: Mooring) -> None:
    """Put one of somebody else in its place."""
    await _replace(port, marks("nab", NACUUID, OTHER, "saved"))


async def relabelled(port: Mooring) -> None:
    """Have the same one say that it is somebody else's."""
    await port.admin.patch(BACKUP, {"metadata": marks("nab", NACUUID, OTHER, "saved")})


async def moved(port: Mooring) -> None:
    """Have the same one be kept elsewhere."""
    await port.admin.patch(BACKUP, {"spec": {"storageLocation": "of-somebody-else"}})


async def restarted(port: Mooring) -> None:
    """Have the same one be written once more."""
    await port.set_status(BACKUP, {"phase": "InProgress"})


async def deleted(port: Mooring) -> None:
    """Delete it."""
    await port.admin.delete(BACKUP)


Deed = Callable[[Mooring], Awaitable[None]]


@pytest.mark.parametrize("deed", [replaced, taken, relabelled, moved, restarted, deleted])
async def test_a_backup_is_read_anew_right_before_it_is_restored(deed: Deed) -> None:
    async with mooring() as port, port.running():
        # All is known of the first, and of what becomes of it nothing.
        await port.nar("first")
        await port.created("first")
        hold = port.proxy.hold(WATCH)
        since = len(port.proxy.calls)
        await deed(port)
        await port.nar("r")
        await port.proxy.seen(READ, times=2)
        await port.quiet()
        assert "POST restores" not in port.writes(since)
        hold.release()
        if deed is replaced:  # it is judged like any other, once it is known
            await port.created("r")
            return
        found = await port.until("r", lambda one: phase(one) == "BackingOff")
        assert NOT_READY in message(found, "Accepted")
        assert "POST restores" not in port.writes(since)


async def test_the_read_is_the_last_thing_before_the_write() -> None:
    async with mooring() as port, port.running():
        await port.nar("r")
        await port.created("r")
        told = [f"{call.method} {call.request.aim.plural}" for call in port.proxy.calls]
        assert told[told.index("POST restores") - 1] == "GET backups"


@pytest.mark.parametrize("is_replaced", [True, False])
@pytest.mark.parametrize("is_edited", [True, False])
async def test_one_that_is_gone_before_its_answer_has_come_is_not_made_again(
    is_replaced: bool, is_edited: bool
) -> None:
    async with mooring() as port:
        port.clock = clock = FakeClock()
        async with port.running() as manager:
            seen = manager.cache(RESTORE_KIND, Keeping(Selection(HOME), {ORIGIN: by_origin}))
            hold = port.proxy.hold(faults.matches(method="POST", resource="restores"))
            await port.nar("r")
            while not (made := await port.restores()):
                await pause(0.01)
            name = made[0]["metadata"]["name"]
            await port.admin.delete(f"{RESTORES}/{name}")
            stranger = {"apiVersion": "velero.io/v1", "kind": "Restore", "spec": {}}
            if is_replaced:
                await port.admin.create(RESTORES, {**stranger, "metadata": {"name": name}})
            await port.admin.create(RESTORES, {**stranger, "metadata": {"name": "later"}})
            while Key(HOME, "later") not in seen:
                await pause(0.01)
            if is_edited:  # so that it can not be told at once that it was made
                edit = {"metadata": {"annotations": {"seen": "yes"}}}
                await port.admin.patch(f"{NARS}/r", edit)
            hold.release()
            for _ in range(3):
                await port.quiet()
                clock.advance(timedelta(seconds=6))
            await port.until("r", lambda one: "NotFound" in str(conditions(one)))
            if is_replaced:
                await port.admin.delete(f"{RESTORES}/{name}")
            await port.quiet()
            assert port.writes().count("POST restores") == 1
            assert "Queued=True RestoreScheduled" in conditions(await port.get("r"))
