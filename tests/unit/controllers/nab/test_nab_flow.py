"""The flow chart as a table: a state and an event lead to a state, by these writes."""

from datetime import timedelta

import pytest

from kedge.controllers.nab.decide import (
    Path,
    Scene,
    Sighting,
    Write,
    decide,
    needs_fresh,
    needs_verdict,
    path_of,
)
from tests.unit.controllers.nab.world import (
    NAME,
    NOW,
    REFERENCE,
    UUID,
    World,
    backup,
    made,
    request,
    synced,
)

ACCEPTED = "Accepted=True/BackupAccepted"
QUEUED = "Queued=True/BackupScheduled"
DELETING = "Deleting=True/DeletionPending"
SUCCEEDED = "Succeeded=True/BackupCompleted"
REFUSED = ["Accepted=False/InvalidBackupSpec", "Failed=True/InvalidBackupSpec"]
LOST = "Accepted=False/VeleroBackupNotFound"
KEPT = (
    "backup deletion requires setting spec.deleteBackup or spec.forceDeleteBackup to true or "
    "finalizer removal"
)
FORCE = {"backupSpec": {}, "forceDeleteBackup": True}
DELETE = {"backupSpec": {}, "deleteBackup": True}
BOTH = {**FORCE, **DELETE}
FINALIZER = "nonadminbackup.oadp.openshift.io/finalizer"


class TestCreateUpdate:
    def test_new_and_valid_becomes_created(self) -> None:
        world = World().settle()
        assert world.writes == ["status(New)", "add finalizer", "create Backup", "status(Created)"]
        assert world.conditions == [ACCEPTED, QUEUED]
        assert world.status is not None
        assert world.status["queueInfo"] == {"estimatedQueuePosition": 1}
        assert world.status["veleroBackup"] == {
            **REFERENCE,
            "spec": {"includedNamespaces": ["shop"]},
            "status": {},
        }

    def test_the_first_write_tells_the_name_before_there_is_a_finalizer_or_a_backup(self) -> None:
        step = decide(Scene(World().nab, "velero", NOW, UUID, backup=Sighting.MISSING))
        assert isinstance(step, Write)
        assert step.status["phase"] == "New"
        assert step.status["veleroBackup"] == REFERENCE

    def test_new_and_invalid_is_new_first_and_then_backs_off(self) -> None:
        world = World(problem="bad").settle()
        assert world.writes == ["status(New)", "status(BackingOff)"]
        assert world.conditions == REFUSED
        assert world.message("Accepted") == "bad"
        assert "veleroBackup" not in (world.status or {})

    def test_backing_off_with_the_same_problem_writes_nothing(self) -> None:
        assert World(problem="bad").settle().again() == []

    def test_backing_off_with_another_problem_tells_that_one(self) -> None:
        world = World(problem="bad").settle()
        assert world.again(problem="worse", generation=2) == ["status(BackingOff)"]
        assert world.message("Accepted") == "worse"

    def test_backing_off_and_mended_becomes_created(self) -> None:
        world = World(problem="bad").settle()
        assert world.again(problem="", generation=2) == [
            "status(BackingOff)",
            "add finalizer",
            "create Backup",
            "status(Created)",
        ]
        assert world.conditions == [ACCEPTED, QUEUED, "Failed=False/BackupAccepted"]

    def test_created_and_nothing_new_writes_nothing(self) -> None:
        assert made().again() == []

    def test_created_and_the_backup_goes_on_copies_its_status(self) -> None:
        world = made()
        progress = {"phase": "InProgress", "progress": {"totalItems": 9, "itemsBackedUp": 4}}
        assert world.again(backup=backup(progress)) == ["status(Created)"]
        assert world.status is not None
        assert world.status["veleroBackup"]["status"] == progress

    def test_created_and_the_position_moves_writes_it(self) -> None:
        world = made(position=5)
        assert world.again() == ["status(Created)"]
        assert world.again(position=4) == ["status(Created)"]

    @pytest.mark.parametrize(
        ("phase", "ended"),
        [
            ("Completed", SUCCEEDED),
            ("Failed", "Failed=True/BackupFailed"),
            ("PartiallyFailed", "Failed=True/BackupPartiallyFailed"),
            ("FailedValidation", "Failed=True/BackupFailedValidation"),
        ],
    )
    def test_created_and_the_backup_ends_tells_how(self, phase: str, ended: str) -> None:
        world = made(position=0)
        assert world.again(backup=backup({"phase": phase})) == ["status(Created)"]
        assert world.conditions == [ACCEPTED, QUEUED, ended]

    def test_a_bad_edit_after_created_is_not_accepted_and_leaves_the_phase(self) -> None:
        world = made()
        assert world.again(problem="bad", generation=2) == ["status(Created)"]
        assert world.conditions == ["Accepted=False/InvalidBackupSpec", QUEUED]
        assert world.again() == []
        progress = backup({"phase": "InProgress"})
        assert world.again(backup=progress) == ["status(Created)"]
        assert world.conditions[0] == "Accepted=False/InvalidBackupSpec"

    def test_a_bad_edit_that_is_taken_back_is_accepted_again(self) -> None:
        world = made()
        world.again(problem="bad", generation=2)
        assert world.again(problem="", generation=3) == ["status(Created)"]
        assert world.conditions == [ACCEPTED, QUEUED]

    def test_what_the_administrator_changes_later_does_not_touch_what_was_made(self) -> None:
        assert made().again(problem="bad") == []

    def test_what_the_original_has_accepted_and_made_is_not_judged_anew(self) -> None:
        world = made(problem="bad")
        for one in (world.status or {})["conditions"]:
            del one["observedGeneration"]  # the original does not write it
        assert world.again() == ["status(Created)"]
        assert world.conditions == [ACCEPTED, QUEUED]
        assert world.observed == {"Accepted": 1, "Queued": 1}

    def test_a_backup_that_is_gone_is_not_run_again(self) -> None:
        world = made()
        assert world.again(backup=Sighting.MISSING) == ["status(Created)"]
        assert world.conditions == [LOST, QUEUED, "Failed=True/VeleroBackupNotFound"]
        assert world.message("Accepted").endswith(
            "Please create a new NonAdminBackup to initiate a new backup"
        )
        assert (world.status or {})["queueInfo"] == {"estimatedQueuePosition": 0}
        assert world.again() == []
        assert world.again(generation=2) == ["status(Created)"]
        assert world.again() == []

    def test_a_backup_that_is_gone_after_its_end_has_still_succeeded(self) -> None:
        world = made(backup=backup({"phase": "Completed"}))
        world.again()
        world.again(backup=Sighting.MISSING)
        assert world.conditions == [LOST, QUEUED, SUCCEEDED]

    @pytest.mark.parametrize("phase", ["", "Completed", "Failed"])
    def test_a_backup_that_is_gone_ends_every_later_spec_in_the_same_way(self, phase: str) -> None:
        world = made(backup=backup({"phase": phase}))
        world.again()
        world.again(backup=Sighting.MISSING)
        before = world.conditions
        assert world.again(generation=2) == ["status(Created)"]
        assert world.conditions == before
        # kubectl waits for a condition of the generation that there is.
        found = (world.status or {})["conditions"]
        assert {one["type"]: one["observedGeneration"] for one in found} == {
            one["type"]: 2 for one in found
        }
        assert world.again() == []

    def test_a_backup_that_comes_back_is_taken_up(self) -> None:
        world = made(backup=Sighting.MISSING)
        world.again()
        assert world.again(backup=backup({"phase": "Completed"})) == ["status(Created)"]
        assert world.conditions[:2] == [ACCEPTED, QUEUED]
        assert SUCCEEDED in world.conditions
        assert "Failed=True/VeleroBackupNotFound" not in world.conditions

    def test_a_cache_that_is_late_is_no_reason_to_give_up_a_backup(self) -> None:
        assert made(cached=False).again() == []

    def test_a_backup_of_somebody_else_under_that_name_is_not_touched(self) -> None:
        world = World(status={"veleroBackup": REFERENCE}, backup=backup(namespace="victim"))
        world.backup = Sighting.FOREIGN
        assert world.settle().writes == ["status(BackingOff)"]
        assert world.conditions[0] == LOST
        assert world.again() == []

    def test_who_crashed_after_the_backup_was_made_goes_on_with_it(self) -> None:
        world = World(
            status={"phase": "New", "veleroBackup": REFERENCE},
            finalizers=[FINALIZER],
            backup=backup(),
        )
        assert world.settle().writes == ["status(Created)"]
        assert world.conditions == [ACCEPTED, QUEUED]

    def test_what_is_made_goes_on_though_the_rules_have_changed_meanwhile(self) -> None:
        world = World(
            status={"phase": "New", "veleroBackup": REFERENCE},
            finalizers=[FINALIZER],
            backup=backup(),
            problem="forbidden by now",
        )
        assert world.settle().phase == "Created"

    def test_an_object_without_a_spec_backs_off(self) -> None:
        world = World(spec=None, problem="BackupSpec is not defined").settle()
        assert (world.phase, world.conditions) == ("BackingOff", REFUSED)


class TestApiDelete:
    def test_created_keeps_its_backup_and_waits_for_a_word(self) -> None:
        world = made(deleted=True, generation=2)
        assert world.again() == ["status(Deleting)"]
        assert world.conditions == [ACCEPTED, QUEUED, DELETING]
        assert world.message("Deleting") == KEPT
        assert world.again() == []
        assert world.again(backup=backup({"phase": "InProgress"})) == []

    def test_backing_off_has_no_finalizer_and_is_gone_without_us(self) -> None:
        assert World(problem="bad").settle().finalizers == []

    def test_where_the_backup_is_gone_nothing_is_kept(self) -> None:
        world = made(deleted=True, generation=2, backup=Sighting.MISSING)
        assert world.again() == ["status(Deleting)", "remove finalizer"]
        assert world.is_gone

    @pytest.mark.parametrize("spec", [None, DELETE])
    def test_how_it_ended_is_told_of_the_generation_that_the_deletion_made(
        self, spec: dict[str, object] | None
    ) -> None:
        world = made(backup=backup({"phase": "Completed"}))
        world.again()
        world.again(deleted=True, generation=2, spec=spec or world.spec)
        assert world.conditions == [ACCEPTED, QUEUED, DELETING, SUCCEEDED]
        assert world.observed == {"Accepted": 1, "Queued": 2, "Deleting": 2, "Succeeded": 2}

    def test_a_cache_that_is_late_does_not_let_go(self) -> None:
        world = made(deleted=True, generation=2, cached=False)
        assert world.again() == ["status(Deleting)"]
        assert not world.is_gone

    def test_a_namespace_that_is_deleted_is_not_held_up_and_the_backup_is_kept(self) -> None:
        world = made(deleted=True, generation=2, is_terminating=True)
        assert world.again() == ["remove finalizer"]
        assert world.is_gone
        assert not isinstance(world.backup, Sighting)

    def test_a_namespace_that_is_deleted_later_is_not_held_up(self) -> None:
        world = made(deleted=True, generation=2)
        world.again()
        assert world.again(is_terminating=True) == ["remove finalizer"]

    @pytest.mark.parametrize("spec", [FORCE, DELETE])
    def test_a_word_that_comes_later_counts(self, spec: dict[str, object]) -> None:
        world = made(deleted=True, generation=2)
        world.again()
        first, *_ = world.again(spec=spec, generation=3)
        assert first == "status(Deleting)"
        assert world.message("Deleting") == "backup accepted for deletion"
        assert "delete NonAdminBackup" not in world.writes


class TestForceDelete:
    def test_created_is_gone_with_its_backup(self) -> None:
        world = made(spec=FORCE, generation=2)
        assert world.again() == [
            "status(Deleting)",
            "delete NonAdminBackup",
            "delete Backup and requests",
            "remove finalizer",
        ]
        assert world.is_gone

    def test_it_goes_before_a_plain_deletion_of_the_backup(self) -> None:
        assert path_of(World(spec=BOTH, deleted=True).nab) is Path.FORCE_DELETE
        assert not [one for one in made(spec=BOTH).again() if one.startswith("create request")]

    def test_without_a_backup_only_the_object_goes(self) -> None:
        world = made(spec=FORCE, generation=2, backup=Sighting.MISSING)
        assert world.again()[-1] == "remove finalizer"
        assert "delete Backup and requests" not in world.writes

    def test_the_backup_of_somebody_else_stays(self) -> None:
        world = made(spec=FORCE, generation=2, backup=Sighting.FOREIGN)
        world.again()
        assert world.is_gone
        assert "delete Backup and requests" not in world.writes

    def test_without_a_finalizer_it_is_gone_at_once(self) -> None:
        world = World(spec=FORCE)
        assert world.settle().writes == ["status(Deleting)", "delete NonAdminBackup"]
        assert world.is_gone

    def test_a_finalizer_of_others_is_left_alone(self) -> None:
        world = World(spec=FORCE, finalizers=["other"], deleted=True)
        world.settle()
        assert (world.writes, world.finalizers) == (["status(Deleting)"], ["other"])

    @pytest.mark.parametrize("cached", [True, False])
    def test_who_has_a_backup_and_no_finalizer_gets_one_first(self, cached: bool) -> None:
        world = made(spec=FORCE, generation=2, finalizers=[], cached=cached)
        assert world.again() == [
            "status(Deleting)",
            "add finalizer",
            "delete NonAdminBackup",
            "delete Backup and requests",
            "remove finalizer",
        ]

    def test_whom_others_hold_back_is_told_of_its_newest_generation(self) -> None:
        world = made(spec=FORCE, generation=2)
        world.finalizers.append("other")
        world.again()
        assert world.again(generation=4) == ["status(Deleting)"]
        assert world.observed["Deleting"] == 4
        assert world.again() == []


class TestDelete:
    def test_created_asks_for_the_deletion_and_waits(self) -> None:
        world = made(spec=DELETE, generation=2)
        assert world.again() == [
            "status(Deleting)",
            "delete NonAdminBackup",
            "create request -1",
            "status(Deleting)",
        ]
        assert world.conditions == [ACCEPTED, QUEUED, DELETING]
        assert world.message("Deleting") == "backup accepted for deletion"
        assert (world.status or {})["veleroDeleteBackupRequest"] == {
            "nacuuid": NAME,
            "name": f"{NAME}-1",
            "namespace": "velero",
            "status": {},
        }
        assert world.again() == []

    def test_when_the_backup_is_gone_the_object_goes(self) -> None:
        world = made(spec=DELETE, generation=2)
        world.again()
        assert world.again(backup=Sighting.MISSING) == ["remove finalizer"]
        assert world.is_gone

    def test_how_far_the_deletion_has_come_is_told(self) -> None:
        world = made(spec=DELETE, generation=2)
        world.again()
        assert world.again(request=request(phase="InProgress")) == ["status(Deleting)"]

    def test_errors_are_told_and_it_is_asked_again_later(self) -> None:
        world = made(spec=DELETE, generation=2)
        world.again()
        assert world.again(request=request(phase="Processed", errors=["no bucket"])) == [
            "status(Deleting)"
        ]
        assert world.message("Deleting") == (
            "backup accepted for deletion; the last attempt failed and is made again: no bucket"
        )
        assert world.wake == NOW + timedelta(seconds=30)
        assert world.again(now=NOW + timedelta(seconds=31)) == [
            "create request -2",
            "status(Deleting)",
        ]
        later = "2030-01-01T00:00:31Z"
        failed = request(f"{NAME}-2", "Processed", ["no bucket"], later)
        world.again(request=failed)
        assert world.wake == NOW + timedelta(seconds=31 + 60)

    @pytest.mark.parametrize("second", [0, 4])
    def test_who_was_refused_because_the_backup_ran_asks_again_when_it_has_ended(
        self, second: int
    ) -> None:
        world = made(spec=DELETE, generation=2)
        world.again()
        busy = request(phase="Processed", errors=["backup is still in progress"])
        world.again(request=busy, now=NOW + timedelta(seconds=5))
        assert world.wake == NOW + timedelta(seconds=30)
        end = f"2030-01-01T00:00:0{second}Z"
        ended = backup({"phase": "Completed", "completionTimestamp": end})
        assert world.again(backup=ended) == ["create request -2", "status(Deleting)"]

    def test_a_request_of_an_administrator_is_as_good_as_ours(self) -> None:
        world = made(spec=DELETE, generation=2, request=request("by-hand", "InProgress"))
        assert "create request -1" not in world.again()
        assert (world.status or {})["veleroDeleteBackupRequest"]["name"] == "by-hand"

    def test_invalid_and_backing_off_is_gone_at_once(self) -> None:
        world = World(problem="bad").settle()
        assert world.again(spec=DELETE, generation=2) == [
            "status(Deleting)",
            "delete NonAdminBackup",
        ]
        assert world.is_gone

    def test_the_backup_of_somebody_else_is_not_asked_for(self) -> None:
        world = made(spec=DELETE, generation=2, backup=Sighting.FOREIGN)
        assert not [one for one in world.again() if "request" in one]
        assert world.is_gone

    def test_a_namespace_that_is_deleted_does_not_wait_for_the_request(self) -> None:
        world = made(spec=DELETE, generation=2, deleted=True, is_terminating=True)
        assert world.again() == [
            "status(Deleting)",
            "create request -1",
            "status(Deleting)",
            "remove finalizer",
        ]

    def test_taken_back_it_waits_for_a_word_and_the_request_stands(self) -> None:
        world = made(spec=DELETE, generation=2)
        world.again()
        assert world.again(spec={"backupSpec": {}}, generation=4) == ["status(Deleting)"]
        assert world.message("Deleting") == KEPT
        assert world.again(backup=Sighting.MISSING) == ["remove finalizer"]

    def test_taken_back_before_it_was_deleted_it_goes_the_same_way(self) -> None:
        world = made(spec=DELETE, generation=2)
        step = decide(world.scene())
        assert isinstance(step, Write)
        world.take(step, None)
        assert (world.phase, world.deleted) == ("Deleting", False)
        assert world.again(spec={"backupSpec": {}}, generation=3) == [
            "delete NonAdminBackup",
            "status(Deleting)",
        ]
        assert world.message("Deleting") == KEPT
        assert not isinstance(world.backup, Sighting)
        assert isinstance(world.request, Sighting)
        assert world.again() == []


class TestSync:
    def test_a_backup_that_is_there_is_taken_up_and_none_is_made(self) -> None:
        world = synced().settle()
        assert world.writes == ["status(Created)", "add finalizer"]
        assert world.conditions == [QUEUED]
        assert world.again() == []

    def test_the_rules_for_new_ones_do_not_count(self) -> None:
        assert synced(problem="enforced").settle().phase == "Created"

    @pytest.mark.parametrize("found", [Sighting.MISSING, Sighting.FOREIGN])
    def test_without_such_a_backup_it_backs_off_and_keeps_no_name(self, found: Sighting) -> None:
        world = synced()
        world.backup = found
        assert world.settle().writes == ["status(BackingOff)"]
        assert world.conditions == [LOST, "Failed=True/VeleroBackupNotFound"]
        assert world.message("Accepted") == "related Velero Backup to be synced from does not exist"
        assert "veleroBackup" not in (world.status or {})
        assert world.finalizers == []

    def test_a_backup_that_comes_later_is_taken_up(self) -> None:
        world = synced()
        found, world.backup = world.backup, Sighting.MISSING
        world.settle()
        assert world.again(backup=found) == ["status(Created)", "add finalizer"]
        assert world.conditions == [ACCEPTED, QUEUED, "Failed=False/BackupAccepted"]
        assert world.again() == []

    def test_a_label_that_comes_after_another_name_counts_for_nothing(self) -> None:
        other = made(labels={"openshift.io/oadp-nab-synced-from-nacuuid": "victim"})
        assert path_of(other.nab) is Path.CREATE
        assert other.again() == []

    def test_it_is_deleted_as_any_other(self) -> None:
        world = synced().settle()
        world.again(spec=DELETE, generation=2)
        assert "create request -1" in world.writes


@pytest.mark.parametrize(
    ("world", "path"),
    [
        (World(spec=BOTH, deleted=True), Path.FORCE_DELETE),
        (World(spec=FORCE), Path.FORCE_DELETE),
        (World(spec=DELETE, deleted=True), Path.DELETE),
        (World(deleted=True), Path.API_DELETE),
        (World(spec=None, deleted=True), Path.API_DELETE),
        (World(labels={"openshift.io/oadp-nab-synced-from-nacuuid": ""}), Path.CREATE),
        (synced(), Path.SYNC),
        (synced(deleted=True), Path.API_DELETE),
        (World(status={"phase": "Deleting"}), Path.API_DELETE),
        (World(), Path.CREATE),
        (World(spec=None), Path.CREATE),
    ],
)
def test_paths_have_an_order(world: World, path: Path) -> None:
    assert path_of(world.nab) is path


def test_what_is_decided_on_the_newest_version_only() -> None:
    assert needs_fresh(made(spec=DELETE).nab)
    assert needs_fresh(made(spec=FORCE).nab)
    assert not needs_fresh(made().nab)
    assert not needs_fresh(made(deleted=True).nab)
    assert needs_fresh(World(status={"phase": "Deleting"}).nab)
    # What is written of these is bound to the version that was decided on.
    assert not needs_fresh(World().nab)
    assert not needs_fresh(synced().nab)


def test_a_spec_is_judged_before_the_backup_is_made_and_after_an_edit() -> None:
    assert needs_verdict(World().nab)
    assert not needs_verdict(made().nab)
    assert needs_verdict(made(generation=2).nab)
    assert not needs_verdict(made(spec=DELETE, generation=2).nab)
    assert not needs_verdict(synced().nab)
