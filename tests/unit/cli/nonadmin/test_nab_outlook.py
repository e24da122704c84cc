import re
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from kedge.api.velero.backup import BackupPhase
from kedge.api.velero.restore import RestorePhase
from kedge.cli.nab.describe import description as nab_description
from kedge.cli.nab.kind import BACKING_UP
from kedge.cli.nab.outlook import nab_outlook
from kedge.cli.nabsl.describe import description as location_description
from kedge.cli.nabsl.outlook import location_outlook
from kedge.cli.nar.describe import description as nar_description
from kedge.cli.nar.kind import nar_outlook
from kedge.controllers.nabsl.spec import spec_problem
from kedge.selfservice.policy import NOTHING, Policy
from kedge.selfservice.validate import OwnBackup, OwnLocation, backup_problem, restore_problem

Object = dict[str, Any]
DELETE = "kedge nab delete shop"


def nab(phase: str = "", velero: Object | None = None, **more: Any) -> Object:
    """Make a NonAdminBackup; `spec`, `meta`, `conditions` and `queue` may be given."""
    status: Object = {"phase": phase} if phase else {}
    if velero is not None:
        status["veleroBackup"] = {"status": velero, "name": "shop-uid", "namespace": "velero"}
    if "queue" in more:
        status["queueInfo"] = {"estimatedQueuePosition": more["queue"]}
    status["conditions"] = [condition(*each) for each in more.get("conditions", ())]
    status |= more.get("status", {})
    meta = {"name": "shop", "namespace": "shop", **more.get("meta", {})}
    return {"metadata": meta, "spec": {"backupSpec": {}, **more.get("spec", {})}, "status": status}


def condition(kind: str, status: str, reason: str = "Why", message: str = "told") -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": message}


LEAVING = {"deletionTimestamp": "2026-03-27T12:00:00Z"}
QUEUED = ("Queued", "True")
LOST = ("Accepted", "False", "VeleroBackupNotFound")
ERRORS = {"veleroDeleteBackupRequest": {"status": {"phase": "Processed", "errors": ["no"]}}}


@pytest.mark.parametrize(
    ("obj", "words"),
    [
        (nab(), "has not seen it yet"),
        (nab("New"), "says next whether it is accepted"),
        (nab("New", conditions=[("Accepted", "True")]), "takes its place in the queue next"),
        (nab("New", conditions=[("Queued", "False")]), "did not take it, and it is tried again"),
        (
            nab("BackingOff", conditions=[("Accepted", "False", "InvalidBackupSpec")]),
            "`kedge nab policy` prints the rules",
        ),
        (nab("BackingOff", conditions=[LOST]), "is gone and is not made again"),
        (nab("Created", {"phase": "Completed"}, conditions=[LOST]), "is gone and is not made"),
        (nab("Created", {"phase": "InProgress"}, conditions=[LOST]), "is gone and is not made"),
        (nab("BackingOff", conditions=[("Accepted", "True")]), "takes its place in the queue"),
        (nab("Created", {}), "its place is told soon"),
        (nab("Created", {}, queue=1), "starts next"),
        (nab("Created", {"phase": "New"}, queue=2), "with one other before it"),
        (nab("Created", {"phase": "Queued"}, queue=12), "with 11 others before it"),
        (nab("Created", {"phase": "InProgress"}, queue=1), "The backup is running, and ends"),
        (
            nab(
                "Created",
                {"phase": "InProgress", "progress": {"totalItems": 9, "itemsBackedUp": 4}},
            ),
            "with 4 of 9 objects done",
        ),
        (nab("Created", {"phase": "WaitingForPluginOperations"}), "Work on its volumes"),
        (
            nab("Created", {"phase": "WaitingForPluginOperationsPartiallyFailed"}),
            "Work on its volumes still goes on, and ends by itself; something went wrong already",
        ),
        (nab("Created", {"phase": "Finalizing"}), "The last things of it are done"),
        (nab("Created", {"phase": "FinalizingPartiallyFailed"}), "something went wrong already"),
        (nab("Created", {"phase": "SomethingNew"}), "It is SomethingNew, and goes on by itself"),
        (nab("Created", {"phase": "Completed"}), "`kedge nar create --from-backup shop`"),
        (nab("Created", {"phase": "PartiallyFailed"}), "ended with errors"),
        (nab("Created", {"phase": "Failed"}), "is not tried again"),
        (nab("Created", {"phase": "FailedValidation"}), "was refused"),
        (nab("Created", {"phase": "Deleting"}), "The server is deleting"),
        (nab("Deleting", {"phase": "Completed"}, meta=LEAVING), f"`{DELETE} --force` gives it up"),
        (nab("Created", {"phase": "Completed"}, meta=LEAVING), "until you say what becomes of"),
        (nab("Deleting", {}, spec={"deleteBackup": True}), "There is no backup of it"),
        (
            nab("Deleting", {"phase": "Completed"}, conditions=[LOST], meta=LEAVING),
            "There is no backup of it",
        ),
        (
            nab("Deleting", spec={"deleteBackup": True}, conditions=[QUEUED]),
            "is deleted with its data",
        ),
        (nab(spec={"deleteBackup": True}), "has not seen it yet"),
        (nab(meta=LEAVING), "has not seen it yet"),
        (nab("Created", spec={"deleteBackup": True}), "is deleted with its data"),
        (
            nab("Deleting", spec={"deleteBackup": True}, conditions=[QUEUED], status=ERRORS),
            "is tried again by itself",
        ),
        (
            nab(
                "Deleting",
                {"phase": "Completed"},
                spec={"deleteBackup": True, "forceDeleteBackup": True},
            ),
            "goes at once",
        ),
    ],
)
def test_one_sentence_says_what_comes_next_for_a_backup(obj: Object, words: str) -> None:
    said = nab_outlook(BACKING_UP, obj)
    assert words in said
    assert said.endswith(".")
    assert ". " not in said
    assert "{" not in said
    assert f"Next:  {said}\n" in nab_description(obj)


PHASES = ("", "New", "BackingOff", "Created", "Deleting")
VELERO = (None, *(str(phase) for phase in [*BackupPhase, *RestorePhase, "SomethingNew"]))
TOLD = ((), *((kind, status) for kind in ("Accepted", "Queued") for status in ("True", "False")))
HELP = re.compile(r"there is nothing to do|`kedge |[Aa]sk the administrator|create a new one")


@pytest.mark.parametrize("phase", PHASES)
def test_whatever_the_state_one_sentence_says_what_can_be_done(phase: str) -> None:
    wishes: list[Object] = [{}, {"deleteBackup": True}, {"forceDeleteBackup": True}]
    for velero, told, meta, wish in product(VELERO, TOLD, ({}, LEAVING), wishes):
        state = {"phase": velero} if velero else None
        conditions = [told] if told else []
        asked = nab(phase, state, conditions=conditions, meta=meta, spec=wish)
        for said in (nab_outlook(BACKING_UP, asked), nar_outlook(nar_of(asked))):
            assert HELP.search(said), said
            assert said.endswith(".")
            assert ". " not in said
            assert "{" not in said


EARLY = (
    "Accepted",
    "False",
    "Invalid",
    restore_problem({"backupName": "a"}, NOTHING, OwnBackup(True)),
)
"""What the server says of a restore whose backup is still on its way."""


LOST_RESTORE = ("Accepted", "False", "VeleroRestoreNotFound")


def nar(phase: str = "", velero: Object | None = None, **more: Any) -> Object:
    return nar_of(nab(phase, velero, **more))


def nar_of(found: Object) -> Object:
    """Make a NonAdminRestore that stands as a NonAdminBackup does."""
    found = found | {"status": dict(found["status"])}
    if "veleroBackup" in found["status"]:
        found["status"]["veleroRestore"] = found["status"].pop("veleroBackup")
    return found | {"spec": {"restoreSpec": {"backupName": "nightly"}}}


@pytest.mark.parametrize(
    ("obj", "words"),
    [
        (nar(), "has not seen it yet"),
        (nar("BackingOff", conditions=[("Accepted", "False")]), "until its spec is valid"),
        (nar("BackingOff", conditions=[EARLY]), "waits for its backup to be ready"),
        (
            nar("BackingOff", conditions=[EARLY, ("Failed", "True")]),
            "does not get ready by itself: `kedge nab describe nightly` tells what to do",
        ),
        (
            nar("BackingOff", conditions=[LOST_RESTORE]),
            "is gone and is not made again",
        ),
        (
            nar("Created", {"phase": "InProgress"}, conditions=[LOST_RESTORE]),
            "is gone and is not made again",
        ),
        (
            nar("Created", {"phase": "Completed"}, conditions=[LOST_RESTORE]),
            "What was asked for is back in the namespace",
        ),
        (nar("Created", {}, queue=3), "with 2 others before it"),
        (nar("Created", {"phase": "InProgress"}), "The restore is running"),
        (nar("Created", {"phase": "Completed"}), "is back in the namespace"),
        (nar("Created", {"phase": "PartiallyFailed"}), "some of it is back"),
        (nar("Created", {"phase": "Failed"}), "is not tried again"),
        (nar("Created", {"phase": "FailedValidation"}), "was refused"),
        (nar("Deleting", {"phase": "Completed"}), "what was restored stays"),
    ],
)
def test_one_sentence_says_what_comes_next_for_a_restore(obj: Object, words: str) -> None:
    said = nar_outlook(obj)
    assert words in said
    assert said.endswith(".")
    assert f"Next:  {said}\n" in nar_description(obj)


MISSING = 'BSL credentials secret not found: secrets "keys" not found'
NO_SECRET = ("Accepted", "False", "Invalid", MISSING)
UNREADABLE = Policy(problems=("no YAML",))


@pytest.mark.parametrize(
    "found",
    [
        OwnLocation(),
        OwnLocation(True, "BackingOff"),
        OwnLocation(True, "Created"),
        OwnLocation(True, "Created", "shop-mine-uid"),
        OwnLocation(True, "Created", "shop-mine-uid", True),
    ],
)
def test_a_backup_that_waits_for_its_location_is_not_sent_to_mend_its_spec(
    found: OwnLocation,
) -> None:
    spec = {"storageLocation": "mine"}
    refusal = ("Accepted", "False", "Invalid", backup_problem(spec, "shop", NOTHING, found))
    held = nab("BackingOff", spec={"backupSpec": spec}, conditions=[refusal])
    said = nab_outlook(BACKING_UP, held)
    assert said.startswith("It goes on by itself when the storage location mine can be used")
    assert "`kedge nabsl describe mine`" in said
    assert "`kubectl edit nab shop`" in said


def test_a_policy_that_can_not_be_read_is_for_the_administrator_to_mend() -> None:
    refused = [
        backup_problem({}, "shop", UNREADABLE),
        restore_problem({}, UNREADABLE),
        spec_problem({}, UNREADABLE, timedelta(minutes=1)),
    ]
    told = [("Accepted", "False", "Invalid", problem) for problem in refused]
    for said in (
        nab_outlook(BACKING_UP, nab("BackingOff", conditions=told[:1])),
        nar_outlook(nar("BackingOff", conditions=told[1:2])),
        location_outlook(location("BackingOff", "", told[2])),
    ):
        assert said.startswith("It goes on by itself when the administrator's policy is mended")


READ_ONLY = {"spec": {"backupStorageLocationSpec": {"accessMode": "ReadOnly"}}}


def location(phase: str = "", velero: str = "", *conditions: Any, **meta: str) -> Object:
    made = {"veleroBackupStorageLocation": {"status": {"phase": velero}}} if velero else {}
    told = [condition(*each) for each in conditions]
    return {
        "metadata": {"name": "mine", "namespace": "shop", **meta},
        "status": {"phase": phase, "conditions": told, **made},
    }


@pytest.mark.parametrize(
    ("obj", "words"),
    [
        (location(), "has not seen it yet"),
        (location("BackingOff", "", ("Accepted", "False")), "until its spec is valid"),
        (
            location("New", "", ("ClusterAdminApproved", "False", "BslSpecApprovalPending")),
            "waits for the approval",
        ),
        (
            location("BackingOff", "", ("ClusterAdminApproved", "False", "BslSpecRejected")),
            "has not approved it",
        ),
        (
            location("Created", "Available", ("SpecUpdateApproved", "False")),
            "does not count",
        ),
        (location("Created", "", ("SecretSynced", "False")), "mend the Secret"),
        (location("BackingOff", "", NO_SECRET), "make or mend the Secret"),
        (location("Created"), "is seen next"),
        (location("Created", "Available"), "--storage-location mine"),
        (location("Created", "Unavailable"), "can not be used"),
        (location("Created", "Available", **LEAVING), "is being deleted"),
        (
            location("New", "", ("BackupStorageLocationSynced", "False")),
            "did not take it, and it is tried again",
        ),
        (location("Created", "Available") | READ_ONLY, "no backup can be made in it"),
        (location("Created", "Unavailable") | READ_ONLY, "can not be used"),
    ],
)
def test_one_sentence_says_what_comes_next_for_a_location(obj: Object, words: str) -> None:
    said = location_outlook(obj)
    assert words in said
    assert said.endswith(".")
    assert "{" not in said
    assert f"Next:  {said}\n" in location_description(obj)


@pytest.mark.parametrize(
    "obj",
    [
        {},
        {"metadata": {"name": "a"}},
        {"metadata": {"name": "a"}, "spec": None, "status": None},
        {"metadata": {"name": "a"}, "spec": {}, "status": {}},
        {"metadata": {"name": "{x}"}, "spec": 1, "status": []},
        {"metadata": {"name": "a"}, "spec": {"backupSpec": 1, "restoreSpec": "x"}},
        {
            "metadata": {"name": "a"},
            "status": {
                "conditions": "none",
                "queueInfo": {"estimatedQueuePosition": "many"},
                "veleroBackup": {"status": "x", "spec": {"includedNamespaces": 3}},
                "veleroRestore": {"status": {"progress": 1}},
                "veleroBackupStorageLocation": [],
            },
        },
    ],
)
def test_an_object_with_parts_missing_or_wrong_is_described(obj: Object) -> None:
    for describe in (nab_description, nar_description, location_description):
        assert "Next:" in describe(obj)


def test_what_is_wrong_is_in_the_description() -> None:
    told = nab_description(
        nab(
            "Created",
            {"phase": "Failed", "failureReason": "no disk", "validationErrors": ["bad"]},
            conditions=[("Accepted", "False", "Invalid", "ttl is restricted")],
            status=ERRORS | {"fileSystemPodVolumeBackups": {"total": 3, "inProgress": 1}},
        )
    )
    for words in (
        "\nEdit Not Accepted:  ttl is restricted",
        "no disk",
        "bad",
        "Deletion Failed:  no",
    ):
        assert words in told
    early = nab("BackingOff", conditions=[("Accepted", "False", "Invalid", "ttl is restricted")])
    assert "\nNot Accepted:  ttl is restricted" in nab_description(early)
    lost = nab("Created", {"phase": "Completed"}, conditions=[LOST])
    assert "\nGone:  told" in nab_description(lost)
    assert "Pod Volumes:  3 total, 1 in progress" in told


@pytest.mark.parametrize(
    ("told", "who"),
    [
        (
            nab_description(nab("Created", {"phase": "Completed", "warnings": 1})),
            "the administrator, with `kedge backup describe shop-uid -n velero`",
        ),
        (
            nab_description(
                nab(
                    "Created",
                    {"phase": "PartiallyFailed", "errors": 2},
                    spec={"backupSpec": {"storageLocation": "mine"}},
                )
            ),
            "`kedge nab logs shop`",
        ),
        (
            nar_description(nar("Created", {"phase": "Completed", "warnings": 1})),
            "`kedge nar logs shop`, if its backup is kept in a bucket of your own, or the "
            "administrator, with `kedge restore describe shop-uid -n velero`",
        ),
    ],
)
def test_who_tells_of_errors_and_warnings_is_in_the_description(told: str, who: str) -> None:
    (line,) = (one for one in told.splitlines() if one.startswith("Told By:"))
    assert line.removeprefix("Told By:").strip() == who


def test_nobody_is_asked_where_nothing_went_wrong() -> None:
    assert "Told By" not in nab_description(nab("Created", {"phase": "Completed"}))


def test_what_the_server_fills_in_is_not_told_to_be_nothing() -> None:
    early = nab_description(nab("BackingOff", spec={"backupSpec": {"ttl": "72h0m0s"}}))
    assert "TTL:  72h0m0s\n" in early
    for title in ("Storage Location:", "CSISnapshotTimeout:", "ItemOperationTimeout:"):
        assert re.search(rf"^{title} +<as the server says>$", early, re.MULTILINE)
