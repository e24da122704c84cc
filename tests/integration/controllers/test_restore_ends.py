"""A Restore that is deleted goes with its files; one that was left unfinished comes to an end."""

from pathlib import Path

import pytest

from kedge.kube.kind import Object
from kedge.testing.objects import FaultyStorage
from tests.integration.controllers.wharf import (
    BACKUPS,
    CONFIG_MAPS,
    FINALIZER,
    LOCATIONS,
    RESTORES,
    Engine,
    Server,
    Wharf,
    phase,
    wharf,
    write_status,
)
from tests.integration.eventually import eventually

pytestmark = pytest.mark.asyncio

INTERRUPTED = (
    'found a restore with status "InProgress" during the server starting, mark it as "Failed"'
)


async def restored(port: Wharf, name: str = "r") -> None:
    await port.restore(name, backupName="b")
    assert phase(await port.ended(name)) == "Completed"
    await eventually(lambda: "RestoreCompleted" in port.events.reasons)


class TestDeletion:
    """Its files go first."""

    async def test_a_restore_that_is_deleted_takes_its_files_along(self, tmp_path: Path) -> None:
        async with wharf(Server(tmp_path)) as port, port.running():
            await restored(port)
            await restored(port, "other")
            await port.delete("r")
            assert port.files("r") == {}
            assert len(port.files("other")) == 5
            assert await port.names() == ["other"]
            assert await port.names(CONFIG_MAPS) == ["one", "two"]

    async def test_it_waits_while_the_location_is_not_available(self, tmp_path: Path) -> None:
        async with wharf(Server(tmp_path)) as port, port.running():
            await restored(port)
            await write_status(port.admin, f"{LOCATIONS}/default", {"phase": "Unavailable"})
            await port.admin.delete(f"{RESTORES}/r")
            await eventually(lambda: "RestoreNotRemoved" in port.events.reasons)
            assert len(port.files("r")) == 5
            assert (await port.get("r"))["metadata"]["finalizers"] == [FINALIZER]
            await write_status(port.admin, f"{LOCATIONS}/default", {"phase": "Available"})
            await port.delete("r")
            assert port.files("r") == {}

    async def test_it_waits_while_the_store_is_away(self, tmp_path: Path) -> None:
        storage = FaultyStorage()
        async with wharf(Server(tmp_path, opener=storage.open)) as port, port.running():
            await restored(port)
            storage.down = True
            await port.admin.delete(f"{RESTORES}/r")
            await eventually(lambda: "RestoreNotRemoved" in port.events.reasons)
            storage.down = False
            await port.delete("r")
            assert port.files("r") == {}

    @pytest.mark.parametrize("path", [f"{BACKUPS}/b", f"{LOCATIONS}/default"])
    async def test_it_goes_where_nobody_knows_any_more_where_its_files_are(
        self, tmp_path: Path, path: str
    ) -> None:
        async with wharf(Server(tmp_path)) as port, port.running():
            await restored(port)
            await port.admin.delete(path)
            await port.delete("r")

    async def test_one_that_was_refused_needs_no_store(self, tmp_path: Path) -> None:
        async with wharf(Server(tmp_path)) as port, port.running():
            await write_status(port.admin, f"{LOCATIONS}/default", {"phase": "Unavailable"})
            await port.restore("r", backupName="b")
            assert phase(await port.ended("r")) == "FailedValidation"
            await port.delete("r")

    async def test_one_that_runs_is_stopped_and_goes(self, tmp_path: Path) -> None:
        engine = Engine()
        async with wharf(Server(tmp_path, engine)) as port, port.running():
            await port.restore("r", backupName="b")
            await eventually(lambda: bool(engine.running))
            await port.delete("r")
            assert not engine.running
            assert port.files("r") == {}
            assert "RestoreFailed" in port.events.reasons

    async def test_other_finalizers_are_left_alone(self, tmp_path: Path) -> None:
        async with wharf(Server(tmp_path)) as port, port.running():
            await port.restore("r", {"finalizers": ["example.com/mine"]}, backupName="b")
            found = await port.ended("r")
            assert found["metadata"]["finalizers"] == ["example.com/mine", FINALIZER]
            await port.admin.delete(f"{RESTORES}/r")
            found = await port.until(
                "r", lambda one: FINALIZER not in one["metadata"]["finalizers"]
            )
            assert found["metadata"]["finalizers"] == ["example.com/mine"]
            await port.admin.patch(f"{RESTORES}/r", {"metadata": {"finalizers": None}})


class TestLeftovers:
    """What another server left behind."""

    async def left(self, port: Wharf, status: Object) -> None:
        await port.restore("r", {"finalizers": [FINALIZER]}, backupName="b")
        await write_status(port.admin, f"{RESTORES}/r", status)

    async def test_one_in_progress_has_failed(self, tmp_path: Path) -> None:
        async with wharf(Server(tmp_path)) as port:
            begun = {"phase": "InProgress", "startTimestamp": "2030-01-01T00:00:00Z"}
            await self.left(port, begun)
            async with port.running():
                status = (await port.ended("r"))["status"]
        assert (status["phase"], status["failureReason"]) == ("Failed", INTERRUPTED)
        assert status["completionTimestamp"]
        assert port.server.engine is not None
        assert port.server.engine.runs == []

    @pytest.mark.parametrize(
        ("before", "after"),
        [("Finalizing", "Completed"), ("FinalizingPartiallyFailed", "PartiallyFailed")],
    )
    async def test_one_that_was_about_to_be_done_is_done(
        self, tmp_path: Path, before: str, after: str
    ) -> None:
        async with wharf(Server(tmp_path)) as port:
            await self.left(port, {"phase": before, "errors": 1, "warnings": 2})
            async with port.running():
                status = (await port.ended("r"))["status"]
        assert (status["phase"], status["errors"], status["warnings"]) == (after, 1, 2)
        assert status["completionTimestamp"]

    async def test_one_that_is_over_only_gets_the_finalizer(self, tmp_path: Path) -> None:
        async with wharf(Server(tmp_path)) as port:
            await port.restore("r", backupName="b")
            await write_status(port.admin, f"{RESTORES}/r", {"phase": "Completed"})
            async with port.running():
                found = await port.until("r", lambda one: bool(one["metadata"].get("finalizers")))
        assert found["status"] == {"phase": "Completed"}
        assert [call.method for call in port.proxy.calls if call.is_write] == ["PATCH"]

    async def test_a_server_that_ends_in_the_middle_leaves_no_scratch_and_the_next_goes_on(
        self, tmp_path: Path
    ) -> None:
        engine = Engine()
        async with wharf(Server(tmp_path, engine)) as port:
            async with port.running():
                await port.restore("r", backupName="b")
                await port.restore("next", backupName="b")
                await eventually(lambda: bool(engine.running))
            (running,) = engine.order
            engine.go_on.set()
            async with port.running():
                other = "next" if running == "r" else "r"
                assert phase(await port.ended(running)) == "Failed"
                assert phase(await port.ended(other)) == "Completed"
