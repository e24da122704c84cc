"""Buckets that people bring: from the request to the location, and to its end."""

import base64
from collections.abc import Callable
from typing import Any

import pytest

from kedge.client import Client
from kedge.controllers.nabsl.rights import AT_HOME, EVERYWHERE, RIGHTS
from kedge.controllers.nabsl.wiring import NabslSettings, add_to
from kedge.kube.kind import Object
from kedge.runtime import Manager
from tests.integration.controllers.harbour import Events
from tests.integration.selfservice.quay import (
    BACKUPS,
    HOME,
    KEYS,
    LOCATIONS,
    OTHER,
    REQUESTS,
    TENANT,
    Quay,
    conditions,
    found_backup,
    is_phase,
    marks,
    message,
    own,
    phase,
    quay,
    secret,
    secrets,
    status,
)

pytestmark = pytest.mark.asyncio

NEEDED_HERE = (
    "backups",
    "backupstoragelocations",
    "nonadminbackups",
    "nonadminbackupstoragelocations",
    "nonadminbackupstoragelocationrequests",
)
NABSLS = own("backupstoragelocations")
NABS = own("backups")
BUCKET = {
    "provider": "aws",
    "objectStorage": {"bucket": "mine"},
    "credential": {"name": "keys", "key": "cloud"},
}
FINALIZER = "nonadminbackupstoragelocation.oadp.openshift.io/finalizer"


def adding(manager: Manager, client: Client, events: Events) -> None:
    add_to(manager, client, events, NabslSettings(HOME))


async def ask(port: Quay, name: str = "bucket", **spec: Any) -> Object:
    wanted = {key: value for key, value in (BUCKET | spec).items() if value is not None}
    made = {"metadata": {"name": name}, "spec": {"backupStorageLocationSpec": wanted}}
    return await port.make(NABSLS, made)


def has(text: str) -> Callable[[Object], bool]:
    """Make a test for a text in the status."""
    return lambda one: text in str(status(one))


async def created(port: Quay, name: str = "bucket") -> str:
    one = await port.until(f"{NABSLS}/{name}", is_phase("Created"))
    return str(status(one)["veleroBackupStorageLocation"]["nacuuid"])


async def test_a_bucket_becomes_a_location_with_a_copy_of_its_secret() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret(stringData=None))
        await ask(port, objectStorage={"bucket": "mine", "prefix": "/foo/"})
        name = await created(port)
        assert name.startswith(f"{TENANT}-bucket-")
        one = await port.get(f"{NABSLS}/bucket")
        assert conditions(one) == [
            "Accepted=True/BslSpecValidation",
            "ClusterAdminApproved=True/BslSpecApproved",
            "SecretSynced=True/SecretCreated",
            "BackupStorageLocationSynced=True/BackupStorageLocationCreated",
        ]
        assert one["metadata"]["finalizers"] == [FINALIZER]
        location = await port.get(f"{LOCATIONS}/{name}")
        assert location["spec"] == {
            "provider": "aws",
            "objectStorage": {"bucket": "mine", "prefix": f"{TENANT}/foo"},
            "credential": {"name": name, "key": "cloud"},
            "config": {"checksumAlgorithm": ""},
        }
        copy = await port.get(f"{secrets(HOME)}/{name}")
        assert base64.b64decode(copy["data"]["cloud"]).decode() == KEYS
        request = await port.get(f"{REQUESTS}/{name}")
        assert request["spec"] == {"approvalDecision": "approve"}
        assert status(request)["phase"] == "Approved"
        assert status(request)["nonAdminBackupStorageLocation"] == {
            "name": "bucket",
            "namespace": TENANT,
            "nacuuid": name,
            "requestedSpec": one["spec"]["backupStorageLocationSpec"],
        }


async def test_as_few_writes_as_can_be_and_none_that_change_nothing() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        await port.quiet()
        assert port.writes() == [
            "PATCH nonadminbackupstoragelocations/status",
            "PUT nonadminbackupstoragelocations",
            "POST nonadminbackupstoragelocationrequests",
            "PATCH nonadminbackupstoragelocationrequests/status",
            "POST secrets",
            "POST backupstoragelocations",
            "PATCH nonadminbackupstoragelocations/status",
        ]
        await port.set_status(f"{LOCATIONS}/{name}", {"phase": "Available"})
        await port.until(f"{NABSLS}/bucket", lambda one: "Available" in str(status(one)))
        await port.quiet()
        seen = len(port.proxy.calls)
        async with port.running():
            assert port.writes(seen) == []


async def test_the_administrator_is_asked_and_can_take_back_the_word() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.enforce(requireApprovalForBSL="true")
        await port.quiet()
        await port.make(secrets(), secret())
        await ask(port)
        one = await port.until(f"{NABSLS}/bucket", lambda one: len(conditions(one)) == 2)
        assert phase(one) == "New"
        assert conditions(one)[1] == "ClusterAdminApproved=False/BslSpecApprovalPending"
        [name] = await port.names(REQUESTS)
        assert phase(await port.get(f"{REQUESTS}/{name}")) == "Pending"
        assert await port.names(LOCATIONS) == []
        assert await port.names(secrets(HOME)) == []
        await port.patch(f"{REQUESTS}/{name}", {"spec": {"approvalDecision": "approve"}})
        assert await created(port) == name
        await port.patch(f"{REQUESTS}/{name}", {"spec": {"approvalDecision": "reject"}})
        one = await port.until(f"{NABSLS}/bucket", is_phase("BackingOff"))
        assert conditions(one)[1:] == ["ClusterAdminApproved=False/BslSpecRejected"]
        assert await port.names(LOCATIONS) == []
        assert await port.names(secrets(HOME)) == []
        assert phase(await port.get(f"{REQUESTS}/{name}")) == "Rejected"
        await port.patch(f"{REQUESTS}/{name}", {"spec": {"approvalDecision": "approve"}})
        assert await created(port) == name
        assert await port.names(LOCATIONS) == [name]


async def test_an_approval_that_is_no_longer_required_is_given() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.enforce(requireApprovalForBSL="true")
        await port.quiet()
        await port.make(secrets(), secret())
        await ask(port)
        await port.until(f"{NABSLS}/bucket", lambda one: len(conditions(one)) == 2)
        await port.enforce(requireApprovalForBSL="false")
        await created(port)


async def is_agreed(port: Quay, name: str) -> bool:
    """Tell whether a location is one that an administrator has agreed to."""
    found = await port.get(f"{LOCATIONS}/{name}")
    return bool(found["metadata"]["annotations"].get("kedge.dev/administrator-asked") == "true")


async def test_what_the_server_agreed_to_itself_is_not_taken_for_a_word_of_the_administrator() -> (
    None
):
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        await port.enforce(requireApprovalForBSL="true")
        await port.quiet()
        assert not await is_agreed(port, name)
        # Not even if the location is made anew from there on.
        await port.delete(f"{LOCATIONS}/{name}")
        await port.appears(f"{LOCATIONS}/{name}")
        await port.quiet()
        assert not await is_agreed(port, name)
        for decision in ("pending", "approve"):
            await port.patch(f"{REQUESTS}/{name}", {"spec": {"approvalDecision": decision}})
            await port.quiet()
        assert await is_agreed(port, name)


async def test_a_word_of_the_administrator_counts_until_the_server_gives_its_own() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.enforce(requireApprovalForBSL="true")
        await port.quiet()
        await port.make(secrets(), secret())
        await ask(port)
        await port.quiet()
        [name] = await port.names(REQUESTS)
        await port.patch(f"{REQUESTS}/{name}", {"spec": {"approvalDecision": "approve"}})
        await created(port)
        await port.enforce(requireApprovalForBSL="false")
        await port.quiet()
        assert await is_agreed(port, name)
        await port.patch(f"{REQUESTS}/{name}", {"spec": {"approvalDecision": "reject"}})
        await port.quiet()
        assert not await is_agreed(port, name)


async def test_a_phase_never_flaps() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        for number in range(3):
            time = f"2030-01-01T00:0{number}:00Z"
            await port.set_status(f"{LOCATIONS}/{name}", {"lastValidationTime": time})
            seen = await port.until(f"{NABSLS}/bucket", has(time))
            assert phase(seen) == "Created"
        await port.quiet()
        assert port.writes()[-3:] == ["PATCH nonadminbackupstoragelocations/status"] * 3


async def test_an_edit_changes_nothing_and_is_told() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        before = await port.get(f"{LOCATIONS}/{name}")
        edit = {"objectStorage": {"bucket": "theirs"}, "provider": "kedge.dev/filesystem"}
        await port.patch(f"{NABSLS}/bucket", {"spec": {"backupStorageLocationSpec": edit}})
        one = await port.until(f"{NABSLS}/bucket", lambda one: len(conditions(one)) == 5)
        assert "SpecUpdateApproved=False/BslSpecUpdateRejected" in conditions(one)
        assert phase(one) == "Created"
        assert (await port.get(f"{LOCATIONS}/{name}"))["spec"] == before["spec"]
        back = {"objectStorage": {"bucket": "mine"}, "provider": "aws"}
        await port.patch(f"{NABSLS}/bucket", {"spec": {"backupStorageLocationSpec": back}})
        await port.until(f"{NABSLS}/bucket", lambda one: len(conditions(one)) == 4)


async def test_a_secret_that_is_rotated_is_copied_again() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        new = KEYS.replace("pass", "another")
        await port.kube.client.replace(f"{secrets()}/keys", secret(text=new))
        wanted = base64.b64encode(new.encode()).decode()
        await port.until(f"{secrets(HOME)}/{name}", lambda one: one["data"] == {"cloud": wanted})
        one = await port.until(f"{NABSLS}/bucket", lambda one: "SecretUpdated" in str(one))
        assert phase(one) == "Created"


async def test_a_secret_of_another_type_takes_the_place_of_the_copy() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        await port.delete(f"{secrets()}/keys")
        one = await port.until(f"{NABSLS}/bucket", lambda one: "SecretSyncFailed" in str(one))
        assert phase(one) == "Created"
        assert await port.is_there(f"{secrets(HOME)}/{name}")
        await port.make(secrets(), secret(type="example.com/keys"))
        await port.until(
            f"{secrets(HOME)}/{name}", lambda one: one.get("type") == "example.com/keys"
        )
        await port.until(f"{NABSLS}/bucket", lambda one: "SecretUpdated" in str(one))


async def test_a_copy_or_a_location_that_is_lost_is_made_again() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        await port.quiet()
        await port.delete(f"{LOCATIONS}/{name}")
        await port.delete(f"{secrets(HOME)}/{name}")
        await port.appears(f"{LOCATIONS}/{name}")
        await port.appears(f"{secrets(HOME)}/{name}")


async def test_a_secret_that_comes_later_is_waited_for() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await ask(port)
        one = await port.until(f"{NABSLS}/bucket", is_phase("BackingOff"))
        assert message(one, "Accepted") == (
            'BSL credentials secret not found: secrets "keys" not found'
        )
        assert await port.names(REQUESTS) == []
        await port.make(secrets(), secret())
        await created(port)


async def test_what_has_no_spec_or_no_credential_does_no_harm() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        bare = {"provider": "aws", "objectStorage": {"bucket": "x"}}
        await port.make(NABSLS, {"metadata": {"name": "bare"}})
        spec = {"backupStorageLocationSpec": bare}
        await port.make(NABSLS, {"metadata": {"name": "open"}, "spec": spec})
        await port.make(secrets(), secret())
        for name in ("bare", "open"):
            await port.until(f"{NABSLS}/{name}", is_phase("BackingOff"))
        await ask(port)
        await created(port)
        for name in ("bare", "open"):
            await port.delete(f"{NABSLS}/{name}")
            await port.gone(f"{NABSLS}/{name}")


async def test_a_replacement_of_the_object_does_not_free_it_from_us() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        await created(port)
        await port.quiet()
        await port.patch(f"{NABSLS}/bucket", {"metadata": {"finalizers": None}})
        await port.until(f"{NABSLS}/bucket", lambda one: "finalizers" in one["metadata"])


async def test_the_end_of_a_location_takes_all_along() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        for nab, place in (("kept", "bucket"), ("other", "elsewhere"), ("moved", "bucket")):
            spec = {"backupSpec": {"storageLocation": place}}
            await port.make(NABS, {"metadata": {"name": nab}, "spec": spec})
        made = {"veleroBackup": {"spec": {"storageLocation": "default"}}}
        await port.patch(f"{NABS}/moved/status", {"status": made})
        await port.quiet()
        await port.delete(f"{NABSLS}/bucket")
        await port.gone(f"{NABSLS}/bucket")
        for path in (LOCATIONS, REQUESTS, secrets(HOME)):
            assert name not in await port.names(path)
        assert await port.names(NABS) == ["moved", "other"]
        assert await port.is_there(f"{secrets()}/keys")


async def test_the_end_of_a_location_takes_along_what_was_found_in_it() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        # It would keep itself from being found again, should the bucket be brought anew.
        await port.make(BACKUPS, found_backup("weekly", name))
        kept = [found_backup("nightly", "default"), found_backup("weekly", name, OTHER)]
        for one in kept:
            await port.make(BACKUPS, one)
        await port.delete(f"{NABSLS}/bucket")
        await port.gone(f"{NABSLS}/bucket")
        assert await port.names(BACKUPS) == sorted(one["metadata"]["name"] for one in kept)


@pytest.mark.parametrize("word", [{}, {"deleteBackup": True}])
async def test_the_end_of_a_location_lets_go_of_backups_that_wait_for_it(word: Object) -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        await created(port)
        # It is deleted already, and its finalizer waits for the Velero Backup.
        spec = {"backupSpec": {"storageLocation": "bucket"}, **word}
        held = {"name": "held", "finalizers": ["example.com/hold"]}
        await port.make(NABS, {"metadata": held, "spec": spec})
        await port.delete(f"{NABS}/held")
        await port.quiet()
        await port.delete(f"{NABSLS}/bucket")
        await port.gone(f"{NABSLS}/bucket")
        one = await port.get(f"{NABS}/held")
        assert one["spec"]["forceDeleteBackup"] is True


async def uids(port: Quay, name: str) -> list[str]:
    """Tell apart all that was made under a name."""
    found = [await port.get(f"{path}/{name}") for path in (LOCATIONS, REQUESTS, secrets(HOME))]
    return [one["metadata"]["uid"] for one in found]


async def test_a_status_that_was_forged_leads_to_nothing_of_anothers() -> None:
    async with quay(adding, NEEDED_HERE) as port:
        async with port.running():
            await port.make(secrets(OTHER), secret())
            theirs = own("backupstoragelocations", OTHER)
            await port.make(theirs, {"metadata": {"name": "bucket"}, "spec": {
                "backupStorageLocationSpec": BUCKET}})  # fmt: skip
            one = await port.until(f"{theirs}/bucket", is_phase("Created"))
            victim = status(one)["veleroBackupStorageLocation"]["nacuuid"]
            before = await uids(port, victim)
        await port.make(secrets(), secret())
        await ask(port)
        await port.patch(f"{NABSLS}/bucket", {"metadata": {"finalizers": [FINALIZER]}})
        forged = {"veleroBackupStorageLocation": {"nacuuid": victim}, "phase": "Created"}
        await port.patch(f"{NABSLS}/bucket/status", {"status": forged})
        async with port.running():
            one = await port.until(f"{NABSLS}/bucket", is_phase("BackingOff"))
            assert "valid NAC UUID" in message(one, "ClusterAdminApproved")
            await port.delete(f"{NABSLS}/bucket")
            await port.gone(f"{NABSLS}/bucket")
            # Not just others of the same name, made again: the very same.
            assert await uids(port, victim) == before


async def test_a_foreign_object_of_the_same_name_is_not_touched() -> None:
    async with quay(adding, NEEDED_HERE) as port:
        name = f"{TENANT}-bucket-x"
        await port.make(secrets(HOME), {"metadata": {"name": name}, "data": {"a": "Yg=="}})
        await port.make(secrets(), secret())
        await ask(port)
        forged = {"veleroBackupStorageLocation": {"nacuuid": name}}
        await port.patch(f"{NABSLS}/bucket/status", {"status": forged})
        async with port.running():
            one = await port.until(f"{NABSLS}/bucket", lambda one: "SyncFailed" in str(one))
            assert "another's" in message(one, "SecretSynced")
            await port.delete(f"{NABSLS}/bucket")
            await port.gone(f"{NABSLS}/bucket")
            assert (await port.get(f"{secrets(HOME)}/{name}"))["data"] == {"a": "Yg=="}


THEIRS = (
    "[default]\nrole_arn = a\nweb_identity_token_file = /var/run/token\n",
    "[default]\ncredential_process = /bin/sh\n",
    f"{KEYS}endpoint_url = http://10.0.0.1\n",
    "[default]\nregion = eu-west-1\n",
    '{"type": "external_account", "credential_source": {"file": "/etc/passwd"}}',
    "",
)


async def test_credentials_that_are_the_servers_are_not_taken() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        for number, text in enumerate(THEIRS):
            await port.make(secrets(), secret(f"keys-{number}", text))
            credential = {"name": f"keys-{number}", "key": "cloud"}
            await ask(port, f"bucket-{number}", credential=credential)
        for number in range(len(THEIRS)):
            one = await port.until(f"{NABSLS}/bucket-{number}", has("SecretSyncFailed"))
            assert phase(one) == "New"
        assert await port.names(LOCATIONS) == []
        assert await port.names(secrets(HOME)) == []
        await port.kube.client.replace(f"{secrets()}/keys-0", secret("keys-0"))
        await created(port, "bucket-0")


async def test_a_policy_that_is_tightened_closes_a_location() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        await created(port)
        await port.enforce(enforceBSLSpec="{provider: gcp}")
        one = await port.until(f"{NABSLS}/bucket", is_phase("BackingOff"))
        assert message(one, "Accepted") == (
            "the administrator has restricted spec.backupStorageLocationSpec.provider field to: gcp"
        )
        await port.enforce(enforceBSLSpec="{provider: [")
        await port.quiet()
        await port.enforce(enforceBSLSpec="{accessMode: ReadOnly}")
        name = await created(port)
        await port.until(
            f"{LOCATIONS}/{name}", lambda one: one["spec"].get("accessMode") == "ReadOnly"
        )


async def test_all_rights_are_used_and_no_others_are_needed() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        await port.kube.client.replace(f"{secrets()}/keys", secret(text=KEYS + "\n"))
        await port.until(f"{NABSLS}/bucket", lambda one: "SecretUpdated" in str(one))
        await port.patch(f"{LOCATIONS}/{name}", {"spec": {"accessMode": "ReadOnly"}})
        await port.until(f"{LOCATIONS}/{name}", lambda one: "accessMode" not in one["spec"])
        spec = {"backupSpec": {"storageLocation": "bucket"}}
        await port.make(NABS, {"metadata": {"name": "kept"}, "spec": spec})
        await port.quiet()
        await port.patch(f"{REQUESTS}/{name}", {"spec": {"approvalDecision": "pending"}})
        await port.until(f"{REQUESTS}/{name}", lambda one: "approve" in str(one["spec"]))
        await port.make(BACKUPS, found_backup("weekly", name))
        await port.delete(f"{NABSLS}/bucket")
        await port.gone(f"{NABSLS}/bucket")
        granted = {(one.group, one.resource, verb) for one in RIGHTS for verb in one.verbs}
        assert port.asked() == granted
        home = {(one.group, one.resource) for one in AT_HOME} - {
            (one.group, one.resource) for one in EVERYWHERE
        }
        for call in port.proxy.calls:
            aim = call.request.aim
            is_write = aim.verb in ("create", "update", "delete") and aim.plural == "secrets"
            if is_write or (aim.group, aim.plural) in home:
                assert aim.namespace == HOME


async def test_marks_alone_do_not_make_a_location_anothers() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await port.make(secrets(), secret())
        await ask(port)
        name = await created(port)
        fake = {"metadata": {"name": "fake", **marks("nabsl", name, TENANT, "bucket")}}
        await port.make(secrets(HOME), fake)
        await port.delete(f"{NABSLS}/bucket")
        await port.gone(f"{NABSLS}/bucket")
        assert await port.names(secrets(HOME)) == ["fake"]
