"""Locations are looked at when they change and at the exact time, and say what was seen."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.controllers.location import controller as locations
from kedge.controllers.location.controller import LocationSettings
from kedge.controllers.location.metrics import LocationMetrics
from kedge.kube.kind import Object
from tests.integration.controllers.storehouse import (
    LOCATIONS,
    SECRETS,
    Adder,
    Parts,
    Storehouse,
    status_of,
    storehouse,
)
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

NEEDS = ("backupstoragelocations",)
KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}


def add(metrics: LocationMetrics | None = None, **settings: Any) -> Adder:
    """Add the controller."""

    def to(parts: Parts) -> None:
        wanted = LocationSettings(**settings)
        locations.add_to(parts.manager, parts.client, parts.events, wanted, parts.stores, metrics)

    return to


async def status(port: Storehouse, name: str = "default") -> dict[str, Any]:
    """Read the status of a location."""
    return status_of(await port.read(f"{LOCATIONS}/{name}"))


def written(port: Storehouse) -> int:
    """Count the writes of a status."""
    return len([call for call in port.proxy.calls if call.is_write])


@pytest.mark.parametrize("kinds", KINDS)
async def test_a_location_that_can_be_used_is_available(kinds: str, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS, KINDS[kinds]()) as port, port.working(add()):
        await port.location()
        await port.quiet()
        assert await status(port) == {
            "phase": "Available",
            "lastValidationTime": "2030-01-01T00:00:00Z",
        }
        assert port.events.reasons == ["Available"]
        assert written(port) == 1


@pytest.mark.parametrize("kinds", KINDS)
async def test_it_becomes_unavailable_and_available_again(kinds: str, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS, KINDS[kinds]()) as port, port.working(add()):
        await port.location()
        await port.quiet()
        (tmp_path / "boats" / "junk").mkdir()
        (tmp_path / "boats" / "junk" / "file").write_text("x")
        await port.pass_time(seconds=59)
        assert (await status(port))["phase"] == "Available"
        await port.pass_time(seconds=1)
        assert await status(port) == {
            "phase": "Unavailable",
            "message": 'BackupStorageLocation "default" is unavailable: Backup store contains '
            "invalid top-level directories: [junk]",
            "lastValidationTime": "2030-01-01T00:01:00Z",
        }
        (tmp_path / "boats" / "junk" / "file").unlink()
        await port.pass_time(minutes=1)
        assert await status(port) == {
            "phase": "Available",
            "lastValidationTime": "2030-01-01T00:02:00Z",
        }
        assert port.events.reasons == ["Available", "Unavailable", "Available"]
        assert written(port) == 3


async def test_each_look_is_written_once_at_its_exact_time(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        await port.location(validationFrequency="10m")
        await port.location("quick", validationFrequency="30s")
        await port.pass_time(minutes=9, seconds=59)
        assert (await status(port))["lastValidationTime"] == "2030-01-01T00:00:00Z"
        before = written(port)
        await port.pass_time(seconds=1)
        assert (await status(port))["lastValidationTime"] == "2030-01-01T00:10:00Z"
        assert written(port) == before + 1
        assert (await status(port, "quick"))["lastValidationTime"] == "2030-01-01T00:09:59Z"


async def test_a_frequency_of_zero_is_one_look_and_one_for_each_change(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        await port.location(validationFrequency="0s")
        await port.pass_time(hours=30)
        assert (await status(port))["lastValidationTime"] == "2030-01-01T00:00:00Z"
        await port.kube.client.patch(
            f"{LOCATIONS}/default", {"spec": {"objectStorage": {"prefix": "deep"}}}
        )
        await port.quiet()
        assert (await status(port))["lastValidationTime"] == "2030-01-02T06:00:00Z"
        assert written(port) == 2


@pytest.mark.parametrize(
    ("text", "after"),
    [
        pytest.param("-5m", 2, id="a negative one is the server's"),
        pytest.param(None, 2, id="none is the server's"),
        pytest.param("+10s", 12, id="its own"),
    ],
)
async def test_the_frequency_is_its_own_or_the_servers(
    text: str | None, after: int, tmp_path: Path
) -> None:
    spec = {} if text is None else {"validationFrequency": text}
    async with (
        storehouse(tmp_path, NEEDS) as port,
        port.working(add(validation_frequency=timedelta(minutes=1))),
    ):
        await port.location(**spec)
        for _ in range(12):
            await port.pass_time(seconds=10)
        assert written(port) == 1 + after


async def test_a_server_frequency_of_zero_is_one_look(tmp_path: Path) -> None:
    async with (
        storehouse(tmp_path, NEEDS) as port,
        port.working(add(validation_frequency=timedelta(0))),
    ):
        await port.location()
        await port.pass_time(days=2)
        assert written(port) == 1


async def test_a_change_of_the_spec_is_looked_at_at_once(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        await port.location()
        await port.pass_time(seconds=7)
        await port.kube.client.patch(f"{LOCATIONS}/default", {"spec": {"provider": "nobody"}})
        await port.quiet()
        found = await status(port)
        assert found["phase"] == "Unavailable"
        assert found["lastValidationTime"] == "2030-01-01T00:00:07Z"
        assert "nobody" in found["message"]
        assert written(port) == 2


async def test_a_spec_that_changed_while_nobody_looked_is_looked_at(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        async with port.working(add()):
            await port.location(validationFrequency="0s")
        await port.kube.client.patch(f"{LOCATIONS}/default", {"spec": {"provider": "nobody"}})
        async with port.working(add()):
            await port.quiet()
            assert (await status(port))["phase"] == "Unavailable"


async def test_a_change_of_its_secret_is_looked_at_at_once(tmp_path: Path) -> None:
    secret: Object = {"metadata": {"name": "keys"}, "data": {}}
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        await port.location(credential={"name": "keys", "key": "cloud"}, validationFrequency="0s")
        await port.quiet()
        assert 'there is no Secret "keys"' in (await status(port))["message"]
        await port.pass_time(seconds=3)
        await port.kube.client.create(SECRETS, secret)
        await port.quiet()
        found = await status(port)
        assert 'has no entry "cloud"' in found["message"]
        assert found["lastValidationTime"] == "2030-01-01T00:00:03Z"
        await port.kube.client.patch(f"{SECRETS}/keys", {"data": {"cloud": "YQ=="}})
        await port.quiet()
        assert (await status(port))["phase"] == "Available"
        before = written(port)
        await port.kube.client.create(SECRETS, {"metadata": {"name": "other"}})
        await port.quiet()
        assert written(port) == before
        await port.kube.client.delete(f"{SECRETS}/keys")
        await port.quiet()
        assert (await status(port))["phase"] == "Unavailable"


async def test_secrets_are_followed_without_what_is_in_them(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        lists = [call for call in port.proxy.calls if call.path.endswith("/secrets")]
        assert lists
        for call in lists:
            assert "PartialObjectMetadata" in call.request.headers.get("Accept")


async def test_a_location_that_comes_again_under_its_name_is_looked_at(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        await port.location(validationFrequency="0s")
        await port.quiet()
        await port.kube.client.delete(f"{LOCATIONS}/default")
        await port.location(validationFrequency="0s")
        await port.quiet()
        assert (await status(port))["phase"] == "Available"


async def test_a_clock_that_was_turned_back_does_not_stop_the_looks(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        await port.location()
        await port.quiet()
        port.clock.set_back(timedelta(hours=5))
        await port.pass_time(minutes=1)
        assert (await status(port))["lastValidationTime"] == "2029-12-31T19:01:00Z"


async def test_a_frequency_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS, stock_crds()) as port, port.working(add()):
        await port.location(validationFrequency="soon")
        await port.quiet()
        found = await status(port)
        assert found["phase"] == "Unavailable"
        assert "spec.validationFrequency" in found["message"]
        assert "write it as" in found["message"]


async def test_the_metric_tells_of_each_location(tmp_path: Path) -> None:
    metrics = LocationMetrics()
    async with storehouse(tmp_path, NEEDS) as port, port.working(add(metrics)):
        await port.location("good")
        await port.location("bad", provider="nobody")
        await port.quiet()
        (family,) = metrics.collect()
        values = {one.labels["backup_location_name"]: one.value for one in family.samples}
        assert values == {"good": 1.0, "bad": 0.0}
        await port.kube.client.delete(f"{LOCATIONS}/bad")
        await port.quiet()
        (family,) = metrics.collect()
        assert len(family.samples) == 1
