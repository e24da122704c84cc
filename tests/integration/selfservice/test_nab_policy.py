"""What an administrator enforces: at once, for those that are still to be made."""

import pytest

from kedge.kube.kind import Object
from kedge.selfservice.policies import AGAIN_SECONDS
from kedge.testing import faults
from tests.integration.selfservice.applications import (
    APPLICATION_CRD,
    APPLICATIONS,
    application,
)
from tests.integration.selfservice.pilot import (
    CONFIGS,
    HOME,
    LOCATIONS,
    POLICY,
    TENANT,
    Pilot,
    conditions,
    is_phase,
    message,
    own_locations,
    phase,
    pilot,
)

pytestmark = pytest.mark.asyncio

UNREAD = (
    "the administrator's policy can not be read: the server may not list"
    f" dataprotectionapplications in {HOME}"
)
ENFORCED = "snapshotVolumes: false\nttl: 36h\ndefaultVolumesToFsBackup: true\n"


async def test_what_is_enforced_goes_into_the_backup_and_not_into_the_object() -> None:
    async with pilot() as port:
        await port.enforce(enforceBackupSpec=ENFORCED)
        async with port.running():
            await port.ask("nightly", {"snapshotVolumes": False})
            one = await port.until("nightly", is_phase("Created"))
            assert one["spec"]["backupSpec"] == {"snapshotVolumes": False}
            spec = (await port.backup_of("nightly"))["spec"]
            assert spec["ttl"] == "36h"
            assert spec["defaultVolumesToFsBackup"] is True
            assert spec["includedNamespaces"] == [TENANT]


async def test_who_wants_otherwise_backs_off_until_the_policy_lets_go() -> None:
    async with pilot() as port:
        await port.enforce(enforceBackupSpec=ENFORCED)
        async with port.running():
            await port.ask("nightly", {"snapshotVolumes": True})
            one = await port.until("nightly", is_phase("BackingOff"))
            assert message(one, "Accepted") == (
                "the administrator has restricted spec.backupSpec.snapshotVolumes field value to "
                "false"
            )
            await port.enforce(enforceBackupSpec="ttl: 36h")
            await port.until("nightly", is_phase("Created"))
            assert (await port.backup_of("nightly"))["spec"]["ttl"] == "36h"


async def test_a_policy_that_comes_later_touches_nothing_that_is_made() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly", {"snapshotVolumes": True})
        await port.until("nightly", is_phase("Created"))
        await port.quiet()
        before = len(port.proxy.calls)
        await port.enforce(enforceBackupSpec=ENFORCED)
        await port.quiet()
        await port.finish("nightly")
        one = await port.until("nightly", lambda one: "Succeeded" in str(conditions(one)))
        assert conditions(one)[0] == "Accepted=True/BackupAccepted"
        assert port.writes(before) == ["PUT nightly/status"]


async def test_a_policy_that_can_not_be_read_lets_nothing_through_until_it_is_mended() -> None:
    async with pilot() as port:
        await port.enforce(enforceBackupSpec="tll: 36h")
        async with port.running():
            await port.ask("nightly")
            one = await port.until("nightly", is_phase("BackingOff"))
            assert "enforceBackupSpec: tll is no field" in message(one, "Accepted")
            assert await port.backups() == {}
            await port.kube.client.delete(f"{CONFIGS}/{POLICY}")
            await port.until("nightly", is_phase("Created"))


async def test_an_application_is_heard_where_there_is_no_config_map() -> None:
    async with pilot() as port:
        await port.kube.define(APPLICATION_CRD)
        made = application(enforceBackupSpec={"ttl": "2h"})
        await port.kube.client.create(APPLICATIONS, made)
        async with port.running():
            await port.ask("nightly", {"ttl": "1h"})
            one = await port.until("nightly", is_phase("BackingOff"))
            assert message(one, "Accepted").endswith("spec.backupSpec.ttl field value to 2h0m0s")
            await port.kube.client.delete(f"{APPLICATIONS}/velero")
            await port.pass_time(seconds=6)
            await port.ask("weekly", {"ttl": "1h"})
            await port.until("weekly", is_phase("Created"))
            await port.pass_time(seconds=AGAIN_SECONDS)
            await port.until("nightly", is_phase("Created"))


@pytest.mark.parametrize("has_kind", [True, False])
async def test_an_application_that_may_not_be_read_lets_nothing_through(has_kind: bool) -> None:
    async with pilot() as port:
        if has_kind:
            await port.kube.define(APPLICATION_CRD)
        forbidden = faults.Refuse(faults.bare(403))
        shut = port.proxy.inject(forbidden, faults.matches(method="GET", path=APPLICATIONS))
        async with port.running():
            await port.ask("nightly", {"ttl": "1h"})
            if not has_kind:  # who has no right to read what can not be there may go on
                await port.until("nightly", is_phase("Created"))
                return
            one = await port.until("nightly", is_phase("BackingOff"))
            assert message(one, "Accepted").startswith(UNREAD)
            shut.remove()
            await port.pass_time(seconds=6)
            await port.ask("weekly", {"ttl": "1h"})
            await port.until("weekly", is_phase("Created"))
            await port.pass_time(seconds=AGAIN_SECONDS)
            await port.until("nightly", is_phase("Created"))


def own_location() -> Object:
    return {
        "apiVersion": "oadp.openshift.io/v1alpha1",
        "kind": "NonAdminBackupStorageLocation",
        "metadata": {"name": "mine"},
        "spec": {
            "backupStorageLocationSpec": {"provider": "aws", "objectStorage": {"bucket": "b"}}
        },
    }


def location(name: str, namespace: str = TENANT, own: str = "mine") -> Object:
    return {
        "apiVersion": "velero.io/v1",
        "kind": "BackupStorageLocation",
        "metadata": {
            "name": name,
            "labels": {
                "openshift.io/oadp": "True",
                "app.kubernetes.io/managed-by": "oadp-nac-controller",
                "openshift.io/oadp-nabsl-origin-nacuuid": name,
            },
            "annotations": {
                "openshift.io/oadp-nabsl-origin-namespace": namespace,
                "openshift.io/oadp-nabsl-origin-name": own,
            },
        },
        "spec": {"provider": "aws", "objectStorage": {"bucket": "b"}},
    }


async def with_location(port: Pilot, phase: str, real: Object | None) -> None:
    await port.kube.client.create(own_locations(), own_location())
    reference = {"nacuuid": "loc-1", "name": "loc-1", "namespace": HOME} if real else {}
    now = {"phase": phase, "veleroBackupStorageLocation": reference}
    await port.set_status(f"{own_locations()}/mine", now)
    if real is not None:
        await port.kube.client.create(LOCATIONS, real)


async def test_a_location_of_ones_own_is_used_once_it_is_available() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly", {"storageLocation": "mine"})
        one = await port.until("nightly", is_phase("BackingOff"))
        assert "NonAdminBackupStorageLocation not found" in message(one, "Accepted")
        await with_location(port, "Created", location("loc-1"))
        one = await port.until(
            "nightly", lambda one: "not in available state" in message(one, "Accepted")
        )
        assert phase(one) == "BackingOff"
        await port.set_status(f"{LOCATIONS}/loc-1", {"phase": "Available"})
        await port.until("nightly", is_phase("Created"))
        assert (await port.backup_of("nightly"))["spec"]["storageLocation"] == "loc-1"
        await port.set_status(f"{LOCATIONS}/loc-1", {"phase": "Unavailable"})
        await port.quiet()
        assert conditions(await port.get("nightly"))[0] == "Accepted=True/BackupAccepted"


@pytest.mark.parametrize(
    "real",
    [
        location("loc-1", namespace="other"),
        location("loc-1", own="another"),
        {**location("loc-1"), "metadata": {"name": "loc-1"}},
    ],
    ids=["of another namespace", "of another object", "of the administrator"],
)
async def test_a_location_of_somebody_else_is_never_used(real: Object) -> None:
    async with pilot() as port, port.running():
        await with_location(port, "Created", real)
        await port.set_status(f"{LOCATIONS}/loc-1", {"phase": "Available"})
        await port.ask("nightly", {"storageLocation": "mine"})
        one = await port.until("nightly", is_phase("BackingOff"))
        assert "not found in the OADP namespace" in message(one, "Accepted")
        await port.ask("direct", {"storageLocation": "loc-1"})
        one = await port.until("direct", is_phase("BackingOff"))
        assert "NonAdminBackupStorageLocation not found" in message(one, "Accepted")
        assert await port.backups() == {}
