"""What is wrong with a Restore is told in Velero's words, and nothing is run."""

from pathlib import Path
from typing import Any

import pytest

from kedge.engine.restore.validate import NO_POLICY
from kedge.testing import faults
from tests.integration.controllers.wharf import (
    HOME,
    LOCATIONS,
    Server,
    Wharf,
    make_backup,
    phase,
    wharf,
    write_status,
)
from tests.integration.eventually import eventually
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

MODIFIERS = "/api/v1/namespaces/velero/configmaps"
ONE_SOURCE = (
    "Either a backup or schedule must be specified as a source for the restore, but not both"
)
LABEL = {"labels": {"velero.io/schedule-name": "nightly"}}


async def problems_of(port: Wharf, **spec: Any) -> list[str]:
    """Ask for a Restore that is refused; give what was wrong."""
    await port.restore("r", **spec)
    found = await port.ended("r")
    assert phase(found) == "FailedValidation"
    assert found["status"].get("startTimestamp") is None
    assert port.server.engine is not None
    assert port.server.engine.runs == []
    assert port.files("r") == {}
    await port.told("RestoreRejected")
    errors: list[str] = found["status"]["validationErrors"]
    return errors


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        pytest.param({}, [ONE_SOURCE], id="no source"),
        pytest.param({"backupName": "b", "scheduleName": "s"}, [ONE_SOURCE], id="two sources"),
        pytest.param(
            {"backupName": "nope"},
            [
                "Error retrieving backup: can't find backup velero/nope: "
                'backups.velero.io "nope" not found'
            ],
            id="no such backup",
        ),
        pytest.param(
            {"scheduleName": "nope"},
            ["No backups found for schedule", "No completed backups found for schedule"],
            id="no such schedule",
        ),
        pytest.param(
            {"backupName": "b", "existingResourcePolicy": "recreate"},
            ["Invalid ExistingResourcePolicy: recreate"],
            id="a policy that is none",
        ),
        pytest.param(
            {"backupName": "nope", "existingResourcePolicy": "x", "includedResources": ["nodes"]},
            [
                "nodes are non-restorable resources",
                "Invalid included/excluded resource lists: excludes list cannot contain an item "
                "in the includes list: nodes",
                "Invalid ExistingResourcePolicy: x",
                "Error retrieving backup: can't find backup velero/nope: "
                'backups.velero.io "nope" not found',
            ],
            id="all in order",
        ),
        pytest.param(
            {"backupName": "b", "resourceModifier": {"kind": "ConfigMap", "name": "nope"}},
            ["failed to get resource modifiers configmap velero/nope"],
            id="no such modifiers",
        ),
        pytest.param(
            {"backupName": "b", "itemOperationTimeout": "soon"},
            ['Invalid itemOperationTimeout: time: invalid duration "soon"'],
            id="a duration that is none",
        ),
    ],
)
async def test_it_is_refused_with_all_that_is_wrong(
    tmp_path: Path, spec: dict[str, Any], errors: list[str]
) -> None:
    async with wharf(Server(tmp_path), stock_crds()) as port, port.running():
        assert await problems_of(port, **spec) == errors


async def test_a_policy_is_refused_as_more_would_come_back_without_it(tmp_path: Path) -> None:
    kinds = stock_crds()
    (restores,) = (crd for crd in kinds if crd["spec"]["names"]["plural"] == "restores")
    schema = restores["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    reference = schema["properties"]["spec"]["properties"]["resourceModifier"]
    schema["properties"]["spec"]["properties"]["resourcePolicy"] = reference
    async with wharf(Server(tmp_path), kinds) as port, port.running():
        named = {"kind": "configmap", "name": "rules"}
        assert await problems_of(port, backupName="b", resourcePolicy=named) == [NO_POLICY]


async def test_a_location_that_is_not_available_is_told(tmp_path: Path) -> None:
    async with wharf(Server(tmp_path)) as port, port.running():
        await write_status(port.admin, f"{LOCATIONS}/default", {"phase": "Unavailable"})
        errors = await problems_of(port, backupName="b")
        assert errors == ["The BSL default is unavailable, cannot retrieve the backup"]


async def test_a_location_that_is_gone_is_told(tmp_path: Path) -> None:
    async with wharf(Server(tmp_path)) as port, port.running():
        await port.admin.delete(f"{LOCATIONS}/default")
        errors = await problems_of(port, backupName="b")
        assert errors == [
            'Error retrieving backup: backupstoragelocations.velero.io "default" not found'
        ]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param(
            {"a": "x", "b": "y"},
            "Error in parsing resource modifiers provided in configmap velero/m: "
            "illegal resource modifiers velero/m configmap",
            id="two keys",
        ),
        pytest.param(
            {"a": "version: v1\nresourceModifierRules: []"},
            "Validation error in resource modifiers provided in configmap velero/m: "
            "resource modifier rules cannot be empty",
            id="no rules",
        ),
    ],
)
async def test_modifiers_that_are_wrong_are_told(
    tmp_path: Path, data: dict[str, str], error: str
) -> None:
    async with wharf(Server(tmp_path)) as port, port.running():
        await port.admin.create(MODIFIERS, {"metadata": {"name": "m"}, "data": data})
        wanted = {"kind": "configmap", "name": "m"}
        assert await problems_of(port, backupName="b", resourceModifier=wanted) == [error]


async def test_modifiers_that_are_right_go_to_the_engine(tmp_path: Path) -> None:
    text = (
        "version: v1\nresourceModifierRules:\n- conditions: {groupResource: configmaps}\n"
        '  mergePatches: [{patchData: "{}"}]\n'
    )
    server = Server(tmp_path)
    async with wharf(server) as port, port.running():
        await port.admin.create(MODIFIERS, {"metadata": {"name": "m"}, "data": {"x": text}})
        wanted = {"kind": "ConfigMap", "name": "m"}
        await port.restore("r", backupName="b", resourceModifier=wanted)
        assert phase(await port.ended("r")) == "Completed"
        assert server.engine is not None
        modifiers = server.engine.runs[0].modifiers
        assert modifiers is not None
        assert len(modifiers.rules) == 1


def _schedules(server: Server) -> set[str]:
    """Name the schedules that there are numbers of."""
    metrics = server.metrics.collect()
    return {one.labels.get("schedule", "") for metric in metrics for one in metric.samples}


class TestSchedules:
    """The newest good Backup of a Schedule is taken."""

    @pytest.mark.parametrize("stock", [False, True])
    async def test_the_newest_that_is_completed_is_restored(
        self, tmp_path: Path, *, stock: bool
    ) -> None:
        server = Server(tmp_path)
        async with wharf(server, stock_crds() if stock else None) as port, port.running():
            await port.admin.patch(f"{HOME}/backups/b", {"metadata": LABEL})
            times = {"b": "2030-01-02", "old": "2030-01-01", "bad": "2030-01-03"}
            for name in ("old", "bad"):
                status = {"phase": "PartiallyFailed"} if name == "bad" else None
                await make_backup(port.admin, name, status, **LABEL)
            for name, day in times.items():
                started = {"startTimestamp": f"{day}T00:00:00Z"}
                await write_status(port.admin, f"{HOME}/backups/{name}", started)
            await port.restore("r", scheduleName="nightly")
            found = await port.ended("r")
            assert phase(found) == "Completed"
            assert (found["spec"]["backupName"], found["spec"]["scheduleName"]) == ("b", "nightly")

    async def test_one_without_a_good_backup_is_refused(self, tmp_path: Path) -> None:
        async with wharf(Server(tmp_path)) as port, port.running():
            await make_backup(port.admin, "bad", {"phase": "Failed"}, **LABEL)
            errors = await problems_of(port, scheduleName="nightly")
            assert errors == ["No completed backups found for schedule"]

    async def test_the_schedule_of_a_backup_is_filled_in_and_counted(self, tmp_path: Path) -> None:
        server = Server(tmp_path)
        async with wharf(server) as port, port.running():
            schedule = {"schedule": "@yearly", "template": {}}
            head = {"apiVersion": "velero.io/v1", "kind": "Schedule"}
            named = {"metadata": {"name": "nightly"}, "spec": schedule}
            await port.admin.create(f"{HOME}/schedules", {**head, **named})
            await port.admin.patch(f"{HOME}/backups/b", {"metadata": LABEL})
            await port.restore("r", backupName="b")
            found = await port.ended("r")
            assert found["spec"]["scheduleName"] == "nightly"
            await port.told("RestoreStarted", "RestoreCompleted")
            await eventually(lambda: "nightly" in _schedules(server))
        counts = {
            sample.name: sample.value
            for metric in server.metrics.collect()
            for sample in metric.samples
            if sample.labels.get("schedule") == "nightly"
        }
        assert counts["velero_restore_attempt_total"] == 1
        assert counts["velero_restore_success_total"] == 1
        assert counts["velero_restore_failed_total"] == 0


async def test_what_may_pass_is_waited_for_and_not_refused(tmp_path: Path) -> None:
    async with wharf(Server(tmp_path)) as port:
        backups = faults.matches(verb="get", resource="backups")
        away = port.proxy.inject(faults.Refuse(faults.failure(503)), backups, times=6)
        async with port.running():
            await port.restore("r", backupName="b")
            assert phase(await port.ended("r")) == "Completed"
            assert len(away.hits) == 6
