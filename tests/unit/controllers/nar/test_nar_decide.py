"""The table of a NonAdminRestore's life: in this state, after this event, that is written."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from kedge.controllers.nar.decide import (
    REST,
    Create,
    Facts,
    Finalize,
    Remove,
    Step,
    Write,
    decide,
)
from kedge.controllers.nar.heads import Nar, VeleroRestore
from kedge.controllers.nar.status import Counts, Note
from kedge.kube.kind import Object
from kedge.kube.patch.merge import merge as merge_patch
from kedge.selfservice.policy import Policy
from kedge.selfservice.validate import OwnBackup

NOW = "2030-01-01T00:00:00Z"
HOME = "velero"
NAME = "shop-r-0d0b7b2c-ee76-412d-a867-2c23b8aa51ab"
FINALIZER = "nonadminrestore.oadp.openshift.io/finalizer"
READY = OwnBackup(True, "Created", "shop-saved-1")
UNFINISHED = (
    "New",
    "Queued",
    "ReadyToStart",
    "InProgress",
    "WaitingForPluginOperations",
    "WaitingForPluginOperationsPartiallyFailed",
    "Finalizing",
    "FinalizingPartiallyFailed",
)


def fresh(**spec: Any) -> Nar:
    """Make a NonAdminRestore that nobody has looked at."""
    return nar({"restoreSpec": {"backupName": "saved", **spec}})


def nar(spec: Object | None, status: Object | None = None, **metadata: Any) -> Nar:
    meta = {"name": "r", "namespace": "shop", "uid": "u1", "generation": 1, "resourceVersion": "5"}
    obj = {"metadata": {**meta, **metadata}, "spec": spec, "status": status}
    return msgspec.convert(obj, Nar)


def restore(phase: str = "", **metadata: Any) -> VeleroRestore:
    status = {"phase": phase} if phase else {}
    return msgspec.convert(
        {"metadata": {"name": NAME, "uid": "v", **metadata}, "status": status}, VeleroRestore
    )


def facts(one: Nar, **more: Any) -> Facts:
    return Facts(one, HOME, NOW, NAME, **{"backup": READY, **more})


def after(one: Nar, step: Step) -> Nar:
    """Give the NonAdminRestore as it is when a step was taken."""
    obj = msgspec.to_builtins(one)
    if isinstance(step, Write):
        obj = merge_patch(obj, {"status": step.change})
    if isinstance(step, Finalize):
        obj = merge_patch(obj, {"metadata": {"finalizers": [FINALIZER] * step.present}})
    return msgspec.convert(obj, Nar)


def run(one: Nar, **more: Any) -> tuple[Nar, list[Step]]:
    """Take all steps, with a server that makes and deletes at once."""
    steps: list[Step] = []
    made: VeleroRestore | None = more.pop("restore", None)
    while (step := decide(facts(one, restore=made, **more))) != REST:
        steps.append(step)
        one = after(one, step)
        if isinstance(step, Create):
            made = restore()
        if isinstance(step, Remove):
            made = None
        if step == Finalize(present=False):
            return one, steps
        assert len(steps) < 10
    return one, steps


def names(steps: list[Step]) -> list[str]:
    return [type(step).__name__.lower() for step in steps]


def told(one: Nar) -> list[str]:
    return [f"{each['type']}={each['status']} {each['reason']}" for each in one.conditions]


def created(phase: str = "", **more: Any) -> Nar:
    """Make one whose Velero Restore was made."""
    one, _ = run(fresh(), position=1, **more)
    if phase:
        one, _ = run(one, restore=restore(phase), position=0)
    return one


def changed(one: Nar, spec: Object | None = None, **metadata: Any) -> Nar:
    obj = msgspec.to_builtins(one)
    change: Object = {"metadata": metadata}
    if spec is not None:
        change["spec"] = {"restoreSpec": spec}
        change["metadata"] = {"generation": 2, **metadata}
    return msgspec.convert(merge_patch(obj, change), Nar)


def leaving(one: Nar) -> Nar:
    return changed(one, deletionTimestamp=NOW, generation=2)


def test_new_and_valid_becomes_created_with_four_writes() -> None:
    one, steps = run(fresh(), position=3)
    assert names(steps) == ["write", "finalize", "create", "write"]
    assert one.phase == "Created"
    assert one.position == 3
    assert told(one) == ["Accepted=True RestoreAccepted", "Queued=True RestoreScheduled"]
    assert one.known["veleroRestore"] == {
        "nacuuid": NAME,
        "name": NAME,
        "namespace": HOME,
        "status": {},
    }


def test_the_first_write_has_phase_acceptance_and_reference() -> None:
    step = decide(facts(fresh()))
    assert isinstance(step, Write)
    assert step.change["phase"] == "New"
    assert step.change["veleroRestore"]["nacuuid"] == NAME
    assert [one["type"] for one in step.change["conditions"]] == ["Accepted"]


def test_new_and_invalid_is_new_first_and_then_backs_off() -> None:
    one, steps = run(fresh(scheduleName="s"))
    phases = [step.change.get("phase") for step in steps if isinstance(step, Write)]
    assert phases == ["New", "BackingOff"]
    assert len(steps) == len(phases)
    assert told(one) == ["Accepted=False InvalidRestoreSpec", "Failed=True InvalidRestoreSpec"]
    assert "queueInfo" not in one.known


@pytest.mark.parametrize("spec", [None, {}, {"restoreSpec": None}])
def test_without_a_spec_it_is_backing_off(spec: Object | None) -> None:
    one, _ = run(nar(spec))
    assert one.phase == "BackingOff"
    assert one.accepted()["message"] == "RestoreSpec is not defined"


def test_backing_off_and_still_invalid_writes_nothing() -> None:
    one, _ = run(fresh(scheduleName="s"))
    assert decide(facts(one)) == REST


def test_backing_off_and_mended_becomes_created() -> None:
    one, _ = run(fresh(scheduleName="s"))
    one, steps = run(changed(one, {"scheduleName": None}), position=1)
    assert names(steps) == ["write", "finalize", "create", "write"]
    assert one.phase == "Created"
    assert told(one)[:2] == ["Accepted=True RestoreAccepted", "Queued=True RestoreScheduled"]
    assert told(one)[2:] == ["Failed=False RestoreAccepted"]


@pytest.mark.parametrize("phase", ["", "New"])
def test_a_backup_that_gets_ready_by_itself_is_no_failure(phase: str) -> None:
    one, _ = run(fresh(), backup=OwnBackup(True, phase))
    assert one.phase == "BackingOff"
    assert told(one) == ["Accepted=False InvalidRestoreSpec"]
    one, _ = run(one, position=1)
    assert one.phase == "Created"


def test_a_failure_is_over_when_its_backup_is_on_its_way() -> None:
    one, _ = run(fresh(), backup=OwnBackup())
    assert "Failed=True InvalidRestoreSpec" in told(one)
    one, steps = run(one, backup=OwnBackup(True, "New"))
    assert names(steps) == ["write"]
    assert told(one) == ["Accepted=False InvalidRestoreSpec", "Failed=False InvalidRestoreSpec"]
    assert {each["message"] for each in one.conditions} == {one.accepted()["message"]}
    one, _ = run(one, position=1)
    assert told(one)[2:] == ["Failed=False RestoreAccepted"]


@pytest.mark.parametrize("phase", [*UNFINISHED, "Reticulating"])
def test_a_backup_that_is_being_taken_is_not_ready(phase: str) -> None:
    one, _ = run(fresh(), backup_phase=phase)
    assert one.phase == "BackingOff"
    assert "not ready to be restored" in one.accepted()["message"]
    assert told(one) == ["Accepted=False InvalidRestoreSpec"]


@pytest.mark.parametrize("phase", ["Completed", "PartiallyFailed"])
def test_a_backup_that_has_something_to_restore_is_ready(phase: str) -> None:
    one, _ = run(fresh(), backup_phase=phase, position=1)
    assert one.phase == "Created"


@pytest.mark.parametrize("backup", [OwnBackup(), OwnBackup(True, "BackingOff", "x")])
def test_a_backup_that_will_not_get_ready_is_a_failure(backup: OwnBackup) -> None:
    one, _ = run(fresh(), backup=backup)
    assert "Failed=True InvalidRestoreSpec" in told(one)


@pytest.mark.parametrize("phase", ["Deleting", "Failed", "FailedValidation"])
def test_a_backup_that_has_failed_is_refused_in_words(phase: str) -> None:
    one, steps = run(fresh(), backup_phase=phase)
    assert (one.phase, names(steps)) == ("BackingOff", ["write", "write"])
    assert "Failed=True InvalidRestoreSpec" in told(one)
    assert f"its backup is {phase}, with nothing to restore" in one.accepted()["message"]


def test_a_backup_that_no_velero_backup_vouches_for_is_not_ready() -> None:
    one, steps = run(fresh(), backup=OwnBackup(True, "Created", ""))
    assert names(steps) == ["write", "write"]
    assert one.phase == "BackingOff"


def test_a_backup_that_is_out_of_reach_is_a_failure() -> None:
    one, steps = run(fresh(), backup=OwnBackup(True, "Created", is_lost=True))
    assert (one.phase, names(steps)) == ("BackingOff", ["write", "write"])
    assert "Failed=True InvalidRestoreSpec" in told(one)
    assert "is not there any more" in one.accepted()["message"]


@pytest.mark.parametrize("stop", [1, 2, 3, 4])
def test_whoever_comes_after_a_crash_ends_the_same(stop: int) -> None:
    whole, steps = run(fresh(), position=1)
    one, made = fresh(), None
    for step in steps[:stop]:
        one = after(one, step)
        made = restore() if isinstance(step, Create) else made
    again, rest = run(one, restore=made, position=1)
    assert again == whole
    assert names(rest) == names(steps[stop:])


def test_created_and_the_restore_goes_on_is_copied_with_one_write() -> None:
    one, steps = run(created(), restore=restore("InProgress"), position=1)
    assert names(steps) == ["write"]
    assert one.known["veleroRestore"]["status"] == {"phase": "InProgress"}
    assert steps[0].change.keys() == {"veleroRestore"}  # type: ignore[union-attr]


def test_created_and_nothing_new_writes_nothing() -> None:
    assert decide(facts(created(), restore=restore(), position=1)) == REST


def test_created_and_another_position_writes_the_position() -> None:
    step = decide(facts(created(), restore=restore(), position=7))
    assert isinstance(step, Write)
    assert step.change == {"queueInfo": {"estimatedQueuePosition": 7}}


@pytest.mark.parametrize(
    ("phase", "wanted"),
    [
        ("Completed", "Succeeded=True RestoreCompleted"),
        ("PartiallyFailed", "Failed=True RestorePartiallyFailed"),
        ("Failed", "Failed=True RestoreFailed"),
        ("FailedValidation", "Failed=True RestoreFailedValidation"),
    ],
)
def test_created_and_the_restore_ends_is_a_condition(phase: str, wanted: str) -> None:
    assert told(created(phase))[2:] == [wanted]
    assert created(phase).phase == "Created"


def test_a_restore_that_failed_after_all_is_warned_of() -> None:
    step = decide(facts(created("Completed"), restore=restore("Failed"), position=0))
    assert isinstance(step, Write)
    assert step.note == Note("Warning", "RestoreFailed", "the restore has failed")


def test_created_and_a_bad_edit_keeps_the_phase() -> None:
    one, steps = run(changed(created(), {"scheduleName": "s"}), restore=restore(), position=1)
    assert names(steps) == ["write"]
    assert one.phase == "Created"
    assert told(one) == ["Accepted=False InvalidRestoreSpec", "Queued=True RestoreScheduled"]


def test_created_and_the_backup_is_gone_is_no_news() -> None:
    assert decide(facts(created(), restore=restore(), position=1, backup=OwnBackup())) == REST


def test_created_and_other_rules_are_no_news() -> None:
    policy = Policy(problems=("it can not be read",))
    assert decide(facts(created(), restore=restore(), position=1, policy=policy)) == REST


def test_what_the_original_has_accepted_and_made_is_not_judged_anew() -> None:
    one = created()
    for condition in one.known["conditions"]:
        del condition["observedGeneration"]  # the original does not write it
    one, steps = run(one, restore=restore(), position=1, backup=OwnBackup())
    assert names(steps) == ["write"]
    assert told(one) == ["Accepted=True RestoreAccepted", "Queued=True RestoreScheduled"]
    one, _ = run(changed(one, {"backupName": "gone"}), restore=restore(), backup=OwnBackup())
    assert told(one)[0] == "Accepted=False InvalidRestoreSpec"


def test_created_and_the_restore_is_gone_is_told_and_not_made_again() -> None:
    one, steps = run(created())
    assert names(steps) == ["write"]
    assert one.phase == "Created"
    assert told(one) == [
        "Accepted=False VeleroRestoreNotFound",
        "Queued=True RestoreScheduled",
        "Failed=True VeleroRestoreNotFound",
    ]
    assert one.position == 0
    assert decide(facts(one)) == REST
    assert decide(facts(changed(one, {"restorePVs": True}))) != REST
    again, steps = run(changed(one, {"restorePVs": True}))
    assert "create" not in names(steps)
    assert again.phase == "Created"


@pytest.mark.parametrize("phase", ["", "Completed", "Failed"])
def test_a_restore_that_is_gone_ends_every_later_spec_in_the_same_way(phase: str) -> None:
    one, _ = run(created(phase))
    again, steps = run(changed(one, {"restorePVs": True}))
    assert (names(steps), told(again)) == (["write"], told(one))
    # kubectl waits for a condition of the generation that there is.
    assert {each["type"] for each in again.conditions if each["observedGeneration"] != 2} == set()


def test_what_has_succeeded_stays_so_when_the_restore_is_removed() -> None:
    one, _ = run(created("Completed"))
    assert "Succeeded=True RestoreCompleted" in told(one)
    assert not any(each.startswith("Failed=True") for each in told(one))


def test_one_that_comes_back_is_told_of_again() -> None:
    one, _ = run(created())
    one, _ = run(one, restore=restore(), position=1)
    assert told(one)[0] == "Accepted=True RestoreAccepted"
    assert one.position == 1


def test_a_name_that_is_anothers_is_not_touched() -> None:
    one, steps = run(created(), is_taken=True)
    assert names(steps) == ["write"]
    assert told(one)[0] == "Accepted=False VeleroRestoreNotFound"
    _, steps = run(leaving(one), is_taken=True)
    assert names(steps) == ["write", "finalize"]


def test_one_that_no_cache_shows_is_waited_for() -> None:
    one, _ = run(fresh())
    one = msgspec.convert(msgspec.to_builtins(one) | {"status": None}, Nar)
    assert decide(facts(one, restore=restore(), is_unseen=True)) == REST


def test_a_finalizer_that_somebody_took_away_is_put_back() -> None:
    one = changed(created(), finalizers=[])
    assert decide(facts(one, restore=restore(), position=1)) == Finalize(present=True)


def test_deleted_has_the_restore_deleted_and_then_goes() -> None:
    one, steps = run(leaving(created()), restore=restore())
    assert names(steps) == ["write", "remove", "finalize"]
    assert one.phase == "Deleting"
    assert told(one)[-1] == "Deleting=True DeletionPending"


def test_deleted_while_the_restore_is_on_its_way_out_waits() -> None:
    one, _ = run(leaving(created()), restore=restore(deletionTimestamp=NOW))
    assert one.phase == "Deleting"
    assert decide(facts(one, restore=restore(deletionTimestamp=NOW))) == REST


def test_deleted_with_its_namespace_does_not_wait() -> None:
    out = restore(deletionTimestamp=NOW)
    _, steps = run(leaving(created()), restore=out, is_namespace_leaving=True)
    assert steps[-1] == Finalize(present=False)
    _, steps = run(leaving(created()), restore=restore(), is_namespace_leaving=True)
    assert names(steps) == ["write", "remove", "finalize"]


def test_deleted_before_anything_was_made_goes() -> None:
    one = nar({"restoreSpec": {}}, finalizers=[FINALIZER])
    _, steps = run(leaving(one))
    assert names(steps) == ["write", "finalize"]


def test_deleted_without_our_finalizer_is_said_to_go_and_left_alone() -> None:
    one, steps = run(leaving(fresh()), restore=restore())
    assert (one.phase, names(steps)) == ("Deleting", ["write"])
    assert told(one) == ["Deleting=True DeletionPending"]


def test_how_it_ended_is_told_of_the_generation_that_the_deletion_made() -> None:
    one, _ = run(leaving(created("Completed")), restore=restore(deletionTimestamp=NOW))
    assert {each["type"]: each["observedGeneration"] for each in one.conditions} == {
        "Accepted": 1,
        "Queued": 2,
        "Deleting": 2,
        "Succeeded": 2,
    }


def test_a_deletion_keeps_other_conditions_and_never_goes_back() -> None:
    one, _ = run(leaving(created("Completed")), restore=restore(deletionTimestamp=NOW))
    assert [each.split("=")[0] for each in told(one)] == [
        "Accepted",
        "Queued",
        "Deleting",
        "Succeeded",
    ]


def test_counts_are_told_where_there_are_some() -> None:
    counts = Counts({"total": 1, "new": 1}, {"total": 2, "accepted": 2})
    one, _ = run(created(), restore=restore(), position=1, counts=counts)
    assert one.known["fileSystemPodVolumeRestores"] == {"total": 1, "new": 1}
    assert one.known["dataMoverDataDownloads"] == {"total": 2, "accepted": 2}
    again, steps = run(one, restore=restore(), position=1)
    assert steps == []
    assert again == one


def test_the_restore_is_bound_to_the_namespace() -> None:
    spec = {"includedResources": ["*"], "excludedResources": ["secrets"]}
    _, steps = run(fresh(**spec))
    [step] = [each for each in steps if isinstance(each, Create)]
    made = step.restore["spec"]
    assert made["backupName"] == READY.velero_name
    assert made["includedNamespaces"] == ["shop"]
    assert made["includeClusterResources"] is False
    assert made["excludedResources"][0] == "secrets"
    assert {"clusterrolebindings", "volumesnapshotclasses"} <= set(made["excludedResources"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scheduleName", "s"),
        ("includedNamespaces", []),
        ("includedNamespaces", ["shop"]),
        ("excludedNamespaces", []),
        ("namespaceMapping", {}),
        ("namespaceMapping", {"shop": "kube-system"}),
        ("includeClusterResources", True),
        ("resourceModifier", {"kind": "configmap", "name": "m"}),
    ],
)
def test_what_reaches_out_of_the_namespace_is_refused(field: str, value: Any) -> None:
    one, steps = run(fresh(**{field: value}))
    assert names(steps) == ["write", "write"]
    assert f"{field} is restricted" in one.accepted()["message"]


def test_positions_do_not_hang_on_what_was_decided_before() -> None:
    base = facts(created(), restore=restore())
    assert decide(replace(base, position=1)) == REST
    assert isinstance(decide(replace(base, position=2)), Write)
