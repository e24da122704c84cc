"""What `kedge status` takes for wrong, and what it says to do."""

from typing import Any

import pytest

from kedge.cli.status.gathering import FORBIDDEN
from kedge.cli.status.kinds import (
    AT_HOME,
    BACKUPS,
    DELETIONS,
    EVENTS,
    LOCATIONS,
    NABS,
    NABSLS,
    PRESCALED,
    RESTORES,
    SCHEDULES,
)
from kedge.cli.status.report import Report
from kedge.cli.status.reporting import report_of
from tests.unit.cli.status.seen import ago, backup, obj, view

NIGHTLY = obj(
    "nightly",
    spec={"schedule": "@daily"},
    status={"phase": "Enabled", "nextRun": "2026-03-28T00:00:00Z"},
)
TENANT = {kind.plural: FORBIDDEN for kind in AT_HOME}


def wrong(*lists: Any, **more: Any) -> list[tuple[str, str, str]]:
    return _told(report_of(view(*lists, **more)))


def _told(report: Report) -> list[tuple[str, str, str]]:
    return [(f"{one.subject.kind} {one.subject.name}", one.text, one.fix) for one in report.wrong]


def test_a_cluster_where_all_is_well_has_nothing_wrong() -> None:
    good = backup("nightly-1", "Completed", "nightly")
    assert wrong((SCHEDULES, [NIGHTLY]), (BACKUPS, [good])) == []


def test_failures_of_a_schedule_count_since_its_last_good_backup() -> None:
    runs = [
        backup("nightly-1", "Failed", "nightly", made=ago(days=4)),
        backup("nightly-2", "Completed", "nightly", made=ago(days=3)),
        backup("nightly-3", "PartiallyFailed", "nightly", made=ago(days=2), errors=2),
        backup("nightly-4", "Failed", "nightly", made=ago(days=1), failureReason="disk full"),
    ]
    assert wrong((SCHEDULES, [NIGHTLY]), (BACKUPS, runs)) == [
        (
            "Schedule nightly",
            "2 backups have failed since the last good one; nightly-4 is Failed: disk full",
            "kedge backup logs nightly-4",
        )
    ]


def test_a_good_backup_makes_up_for_the_failures_before_it() -> None:
    runs = [
        backup("nightly-1", "Failed", "nightly", made=ago(days=2)),
        backup("nightly-2", "Completed", "nightly", made=ago(days=1)),
        backup("nightly-3", "InProgress", "nightly", made=ago(minutes=1)),
    ]
    assert wrong((SCHEDULES, [NIGHTLY]), (BACKUPS, runs)) == []


def test_what_was_started_by_hand_is_told_of_for_a_day() -> None:
    made = [
        backup("old", "Failed", made=ago(hours=25)),
        backup("new", "FailedValidation", made=ago(hours=23), validationErrors=["no location"]),
        backup("orphan", "Failed", "a-schedule-that-is-gone", failureReason="why"),
    ]
    restores = [backup("back", "PartiallyFailed", errors=1)]
    assert wrong((BACKUPS, made), (RESTORES, restores)) == [
        ("Backup new", "FailedValidation: no location", "kedge backup describe new"),
        ("Backup orphan", "Failed: why", "kedge backup describe orphan"),
        ("Restore back", "PartiallyFailed: 1 error", "kedge restore describe back"),
    ]


def test_a_request_whose_backup_is_gone_is_wrong_and_does_not_wait() -> None:
    told = {"type": "Accepted", "status": "False", "reason": "VeleroBackupNotFound"}
    made = {"name": "shop-mine-1", "status": {"phase": "InProgress"}}
    status = {
        "phase": "Created",
        "conditions": [told | {"message": "it was removed"}],
        "veleroBackup": made,
    }
    lost = (NABS, [obj("mine", "shop", status=status)])
    fix = "kedge nab describe mine -n shop"
    report = report_of(view(lost, problems=TENANT))
    assert ("NonAdminBackup mine", "it was removed", fix) in _told(report)
    assert report.waiting == []


def test_a_schedule_that_is_refused_says_why() -> None:
    bad = obj("bad", status={"phase": "FailedValidation", "validationErrors": ["x", "y"]})
    assert wrong((SCHEDULES, [bad])) == [
        ("Schedule bad", "it is not valid: x; y", "kubectl edit schedule bad -n velero")
    ]


@pytest.mark.parametrize(
    ("status", "spec", "is_late"),
    [
        pytest.param({"nextRun": ago(minutes=4)}, {}, False, id="a little late"),
        pytest.param({"nextRun": ago(minutes=6)}, {}, True, id="late"),
        pytest.param({"nextRun": ago(minutes=6)}, {"paused": True}, False, id="paused"),
        pytest.param({"lastBackup": ago(hours=49)}, {"schedule": "@daily"}, True, id="of Velero"),
        pytest.param({"lastBackup": ago(hours=2)}, {"schedule": "@daily"}, False, id="not yet"),
        pytest.param({"lastBackup": ago(hours=49)}, {"schedule": "nonsense"}, False, id="unread"),
    ],
)
def test_a_run_that_does_not_come_is_late(
    status: dict[str, Any], spec: dict[str, Any], is_late: bool
) -> None:
    late = obj("late", spec=spec, status={"phase": "Enabled", **status})
    found = wrong((SCHEDULES, [late]))
    assert [text for _, text, _ in found if "is late by" in text] != [] if is_late else found == []


def test_a_run_that_waits_for_another_backup_is_not_late() -> None:
    blocked = {"type": "Blocked", "status": "True", "message": "the run waits"}
    one = obj("busy", status={"nextRun": ago(hours=1), "conditions": [blocked]})
    report = report_of(view((SCHEDULES, [one])))
    assert _told(report) == []
    assert [(one.phase, one.note) for one in report.waiting] == [("Blocked", "the run waits")]


def test_missed_runs_are_wrong_until_the_next_good_backup() -> None:
    event = {
        "involvedObject": {"kind": "Schedule", "name": "nightly"},
        "lastTimestamp": ago(minutes=30),
        "message": "2 runs missed",
    }
    before = backup("nightly-1", "Completed", "nightly", made=ago(minutes=31))
    after = backup("nightly-2", "Completed", "nightly", made=ago(minutes=29))
    told = ("Schedule nightly", "2 runs missed", "kedge backup create --from-schedule nightly")
    assert wrong((SCHEDULES, [NIGHTLY]), (EVENTS, [event]), (BACKUPS, [before])) == [told]
    assert wrong((SCHEDULES, [NIGHTLY]), (EVENTS, [event]), (BACKUPS, [before, after])) == []


def test_a_location_that_can_not_be_used_says_why() -> None:
    status = {"phase": "Unavailable", "message": "no bucket", "lastValidationTime": ago(seconds=9)}
    assert wrong((LOCATIONS, [obj("default", status=status)])) == [
        (
            "BackupStorageLocation default",
            "unavailable: no bucket",
            "kubectl edit backupstoragelocation default -n velero",
        )
    ]


def test_no_location_at_all_is_wrong() -> None:
    ((about, text, fix),) = wrong((LOCATIONS, []))
    assert about == "BackupStorageLocation default"
    assert "nowhere to go" in text
    assert fix.startswith("kedge backup-location create default ")


def test_deletions_and_prescaled_cronjobs_that_fail_are_wrong() -> None:
    deletion = obj("d", spec={"backupName": "old"}, status={"errors": ["bucket is locked"]})
    ready = {"type": "Ready", "status": "False", "message": "it runs every minute"}
    prescaled = obj("report", "ferry", status={"conditions": [ready]})
    assert wrong((DELETIONS, [deletion]), (PRESCALED, [prescaled])) == [
        ("Backup old", "it could not be deleted: bucket is locked", "kedge backup delete old"),
        (
            "PreScaledCronJob report",
            "it runs every minute",
            "kedge prescaled describe report -n ferry",
        ),
    ]


REFUSED = obj(
    "mine",
    "shop",
    status={
        "phase": "BackingOff",
        "conditions": [{"type": "Accepted", "status": "False", "message": "ttl is too long"}],
    },
)


def test_a_refused_request_is_wrong_for_its_owner_and_a_notice_for_the_administrator() -> None:
    told = ("NonAdminBackup mine", "ttl is too long", "kedge nab describe mine -n shop")
    assert wrong((NABS, [REFUSED]), problems=TENANT) == [told]
    report = report_of(view((NABS, [REFUSED]), (SCHEDULES, [NIGHTLY])))
    assert report.is_healthy
    assert [one.text for one in report.notices] == ["ttl is too long"]


@pytest.mark.parametrize(
    ("locations", "told"),
    [
        ([obj("default")], []),
        ([obj("attic", spec={"default": True}), obj("b")], []),
        ([], []),
        ([obj("attic"), obj("b")], ["kedge backup-location set attic --default"]),
    ],
)
def test_locations_of_which_none_is_the_default_are_a_notice(
    locations: list[dict[str, Any]], told: list[str]
) -> None:
    report = report_of(view((LOCATIONS, locations), (SCHEDULES, [obj("s")])))
    assert [one.fix for one in report.notices] == told


def test_a_rejected_bucket_is_wrong_for_its_owner() -> None:
    no = {"type": "ClusterAdminApproved", "status": "False", "reason": "X", "message": "no"}
    location = obj("mine", "shop", status={"conditions": [no]})
    assert wrong((NABSLS, [location]), problems=TENANT) == [
        ("NonAdminBackupStorageLocation mine", "no", "kedge nabsl describe mine -n shop")
    ]


def test_somebody_with_one_namespace_is_told_once_what_they_may_not_see() -> None:
    report = report_of(view(problems=TENANT))
    assert report.is_healthy
    assert report.server.state == "unknown"
    assert report.unseen == [
        "you may not see schedules, backups, restores, backupstoragelocations, "
        "deletebackuprequests and nonadminbackupstoragelocationrequests in namespace velero"
    ]


@pytest.mark.parametrize(
    "junk",
    [
        {},
        {"metadata": None, "status": None},
        {"metadata": {"labels": None}, "status": {"phase": None, "conditions": None}},
        {"metadata": {"creationTimestamp": "yesterday"}, "status": {"conditions": "x"}},
        {"status": {"errors": "many", "progress": []}, "spec": []},
    ],
)
def test_objects_that_make_no_sense_are_no_reason_to_fail(junk: dict[str, Any]) -> None:
    every = [(kind, [junk]) for kind in (*AT_HOME, NABS, NABSLS, PRESCALED, EVENTS)]
    assert report_of(view(*every)).document["at"] == "2026-03-27T12:00:00Z"
