"""For each alert: numbers at which it fires, with what it then says, and numbers at which not."""

from dataclasses import dataclass, field
from typing import Final

HERE: Final = 'job="kedge",instance="10.0.0.1:8085",namespace="velero"'
LEADS: Final = {f'leader_election_master_status{{name="kedge",{HERE}}}': "1x250"}
STANDS_BY: Final = {f'leader_election_master_status{{name="kedge",{HERE}}}': "0x250"}
NOT_OURS: Final = {'leader_election_master_status{name="other",job="x",instance="y"}': "1x250"}
SCHEDULE: Final = {"namespace": "velero", "schedule": "daily"}


@dataclass(frozen=True)
class Case:
    """Series, a look at a minute, and what the alert says there; nothing: it is silent."""

    alert: str
    series: dict[str, str]
    minute: int
    says: str = ""
    labels: dict[str, str] = field(default_factory=lambda: dict(SCHEDULE))


def s(name: str, labels: str = "", values: str = "", **more: str) -> dict[str, str]:
    """Give a series of our server: one value a minute."""
    given = ",".join(part for part in (labels, HERE) if part)
    return {f"{name}{{{given}}}": values, **more}


def of(controller: str) -> dict[str, str]:
    """Name a controller as alerts do."""
    return {"namespace": "velero", "controller": controller}


DAILY: Final = 'schedule="daily"'
BY_HAND: Final = 'schedule=""'
NAMESPACE: Final = {"namespace": "velero"}
INTERVAL: Final = "velero_schedule_expected_interval_seconds"
NEXT: Final = "kedge_schedule_next_run_timestamp_seconds"
LAST: Final = "velero_backup_last_successful_timestamp"
DONE: Final = "workqueue_work_duration_seconds_count"
LATE: Final = "prescalecronjoboperator_cronjob_time_delay_of_workload"

SERVER: Final = [
    Case(
        "KedgeDown",
        NOT_OURS,
        6,
        "No pod of Kedge has told its numbers for 5 minutes. No backup is made, and no other"
        " alert of Kedge can fire.",
        {"name": "kedge"},
    ),
    Case("KedgeDown", STANDS_BY, 6),
    Case(
        "KedgeNoLeader",
        STANDS_BY,
        3,
        "Pods of Kedge in namespace velero run, but none has held the Lease for 2 minutes."
        " No backup is made.",
        NAMESPACE,
    ),
    Case("KedgeNoLeader", LEADS, 3),
    Case(
        "KedgeRestarting",
        {**LEADS, **s("process_start_time_seconds", "", "1x5 2x5 3x5 4x20")},
        25,
        "The server at 10.0.0.1:8085 was started 3 times in 30 minutes. What was under way begins"
        " anew each time.",
        {"namespace": "velero", "instance": "10.0.0.1:8085"},
    ),
    Case("KedgeRestarting", {**LEADS, **s("process_start_time_seconds", "", "1x5 2x30")}, 25),
    Case("KedgeRestarting", s("process_start_time_seconds", "", "1x5 2x5 3x5 4x20"), 25),
    Case(
        "KedgeApiErrors",
        {
            **LEADS,
            **s("rest_client_requests_total", 'code="200"', "0+30x60"),
            **s("rest_client_requests_total", 'code="<error>"', "0+10x60"),
        },
        30,
        "25% of the requests of Kedge in namespace velero fail or get no answer.",
        NAMESPACE,
    ),
    Case(
        "KedgeApiErrors",
        {
            **LEADS,
            **s("rest_client_requests_total", 'code="404"', "0+90x60"),
            **s("rest_client_requests_total", 'code="500"', "0+1x60"),
        },
        30,
    ),
    Case(
        "KedgeControllerFailing",
        {
            **LEADS,
            **s("controller_runtime_reconcile_errors_total", 'controller="gc"', "0+1x120"),
        },
        90,
        "The controller gc in namespace velero has had errors for more than an hour.",
        of("gc"),
    ),
    Case(
        "KedgeControllerFailing",
        {
            **LEADS,
            **s("controller_runtime_reconcile_errors_total", 'controller="gc"', "0+1x10 10x110"),
        },
        90,
    ),
    Case(
        "KedgeQueueStuck",
        {
            **LEADS,
            **s("workqueue_depth", 'controller="schedule"', "4x60"),
            **s(DONE, 'controller="schedule"', "7x60"),
        },
        45,
        "The controller schedule in namespace velero has 4 objects waiting, and has finished none"
        " for 15 minutes.",
        of("schedule"),
    ),
    Case(
        "KedgeQueueStuck",
        {
            **LEADS,
            **s("workqueue_depth", 'controller="schedule"', "4x60"),
            **s(DONE, 'controller="schedule"', "0+1x60"),
        },
        45,
    ),
    Case(
        "KedgeQueueStuck",
        {
            **LEADS,
            **s("workqueue_depth", 'controller="backup"', "4x60"),
            **s(DONE, 'controller="backup"', "7x60"),
        },
        45,
    ),
]

ENDED: Final = [
    Case(
        "KedgeScheduledBackupFailing",
        {**LEADS, **s("velero_backup_last_status", DAILY, "0x10")},
        5,
        "The last backup of schedule daily in namespace velero is Failed or PartiallyFailed.",
    ),
    Case(
        "KedgeScheduledBackupFailing",
        {**LEADS, **s("velero_backup_last_status", DAILY, "0x3 1x10")},
        5,
    ),
    Case(
        "KedgeScheduledBackupFailing",
        {**NOT_OURS, 'velero_backup_last_status{schedule="daily",job="x",instance="y"}': "0x10"},
        5,
    ),
    Case(
        "KedgeBackupFailed",
        {
            **LEADS,
            **s("velero_backup_failure_total", BY_HAND, "0x60"),
            **s("velero_backup_partial_failure_total", BY_HAND, "0x20 1x40"),
        },
        30,
        "In the last hour a backup without a schedule in namespace velero ended as Failed or"
        " PartiallyFailed.",
        NAMESPACE,
    ),
    Case(
        "KedgeBackupFailed",
        {
            **LEADS,
            **s("velero_backup_failure_total", DAILY, "0x20 1x40"),
            **s("velero_backup_partial_failure_total", DAILY, "0x60"),
        },
        30,
    ),
    Case(
        "KedgeBackupRefused",
        {**LEADS, **s("velero_backup_validation_failure_total", DAILY, "0x20 1x40")},
        30,
        'In the last hour a backup of schedule "daily" in namespace velero was refused'
        " (FailedValidation). It was not made.",
    ),
    Case(
        "KedgeBackupRefused",
        {**LEADS, **s("velero_backup_validation_failure_total", DAILY, "3x200")},
        90,
    ),
    Case(
        "KedgeRunsLong",
        {
            **LEADS,
            **s("workqueue_longest_running_processor_seconds", 'controller="backup"', "0+600x250"),
        },
        25,
        "The controller backup in namespace velero has been at work on one object for 4h 10m 0s."
        " Others may wait behind it.",
        of("backup"),
    ),
    Case(
        "KedgeRunsLong",
        {
            **LEADS,
            **s("workqueue_longest_running_processor_seconds", 'controller="backup"', "600x250"),
        },
        25,
    ),
    Case(
        "KedgeDeletionFailing",
        {**LEADS, **s("velero_backup_deletion_failure_total", DAILY, "_x20 1x100")},
        60,
        'In the last 3 hours the deletion of a backup of schedule "daily" in namespace velero'
        " failed. Expired backups fill the bucket.",
    ),
    Case(
        "KedgeDeletionFailing",
        {**LEADS, **s("velero_backup_deletion_failure_total", BY_HAND, "0x250")},
        60,
    ),
    Case(
        "KedgeDeletionFailing",
        {**LEADS, **s("velero_backup_deletion_failure_total", DAILY, "_x20 1x250")},
        210,
    ),
    Case(
        "KedgeLocationUnavailable",
        {**LEADS, **s("velero_backup_location_status_gauge", 'backup_location_name="a"', "0x60")},
        20,
        "Location a in namespace velero has not been Available for 15 minutes. Backups to it are"
        " refused.",
        {"namespace": "velero", "backup_location_name": "a"},
    ),
    Case(
        "KedgeLocationUnavailable",
        {
            **LEADS,
            **s("velero_backup_location_status_gauge", 'backup_location_name="a"', "0x10 1x50"),
        },
        20,
    ),
]

DUE: Final = [
    Case(
        "KedgeBackupOverdue",
        {
            **LEADS,
            **s(LAST, DAILY, "0x250"),
            **s(INTERVAL, DAILY, "3600x250"),
            **s(NEXT, DAILY, "3600x250"),
        },
        120,
        "The last good backup of schedule daily in namespace velero is 2h 0m 0s old. That is more"
        " than one and a half times as long as between two runs.",
    ),
    Case(  # it is paused
        "KedgeBackupOverdue",
        {**LEADS, **s(LAST, DAILY, "0x250"), **s(INTERVAL, DAILY, "3600x250")},
        120,
    ),
    Case(  # a weekend: the next two runs are near each other, the last one was not near
        "KedgeBackupOverdue",
        {
            **LEADS,
            **s(LAST, DAILY, "0x250"),
            **s(INTERVAL, DAILY, "10800x10 600x250"),
            **s(NEXT, DAILY, "10800x250"),
        },
        120,
    ),
    Case(
        "KedgeNoGoodBackup",
        {**LEADS, **s("velero_backup_attempt_total", DAILY, "0x10 1x10 2x60")},
        60,
        "Schedule daily in namespace velero has started 2 backups, and there is none that is"
        " Completed.",
    ),
    Case(
        "KedgeNoGoodBackup",
        {
            **LEADS,
            **s("velero_backup_attempt_total", DAILY, "0x10 1x10 2x60"),
            **s(LAST, DAILY, "60x100"),
        },
        60,
    ),
    Case("KedgeNoGoodBackup", {**LEADS, **s("velero_backup_attempt_total", DAILY, "1x90")}, 60),
    Case(
        "KedgeRunLate",
        {**LEADS, **s(NEXT, DAILY, "600x60")},
        30,
        "Schedule daily in namespace velero should have made a backup 20m 0s ago.",
    ),
    Case("KedgeRunLate", {**LEADS, **s(NEXT, DAILY, "600x11 4200x60")}, 30),
    Case(
        "KedgeRunsMissed",
        {**LEADS, **s("kedge_schedule_missed_runs_total", DAILY, "0x30 2x60")},
        45,
        "Schedule daily in namespace velero missed runs in the last hour.",
    ),
    Case(  # a server that has just come up and found them
        "KedgeRunsMissed",
        {**LEADS, **s("kedge_schedule_missed_runs_total", DAILY, "_x30 2x60")},
        45,
        "Schedule daily in namespace velero missed runs in the last hour.",
    ),
    Case(
        "KedgeRunsMissed",
        {**LEADS, **s("kedge_schedule_missed_runs_total", DAILY, "2x250")},
        90,
    ),
    Case(
        "KedgeScheduleInvalid",
        {**LEADS, **s("velero_backup_last_status", DAILY, "1x60")},
        10,
        "Schedule daily in namespace velero is FailedValidation, so it makes no backups.",
    ),
    Case(
        "KedgeScheduleInvalid",
        {
            **LEADS,
            **s("velero_backup_last_status", DAILY, "1x60"),
            **s(INTERVAL, DAILY, "3600x60"),
        },
        10,
    ),
]

OTHERS: Final = [
    Case(
        "KedgeRestoreFailed",
        {
            **LEADS,
            **s("velero_restore_failed_total", DAILY, "0x60"),
            **s("velero_restore_partial_failure_total", DAILY, "0x20 1x40"),
            **s("velero_restore_validation_failed_total", DAILY, "0x60"),
        },
        30,
        'In the last hour a restore of a backup of schedule "daily" in namespace velero failed, in'
        " whole or in part, or was refused.",
    ),
    Case(
        "KedgeRestoreFailed",
        {
            **LEADS,
            **s("velero_restore_failed_total", DAILY, "1x60"),
            **s("velero_restore_partial_failure_total", DAILY, "1x60"),
            **s("velero_restore_validation_failed_total", DAILY, "1x60"),
        },
        30,
    ),
    Case(
        "KedgeSelfServiceFailing",
        {
            **LEADS,
            **s(
                "controller_runtime_reconcile_errors_total",
                'controller="nonadminbackup"',
                "0+1x120",
            ),
        },
        60,
        "The controller nonadminbackup in namespace velero has had errors for more than half an"
        " hour. Somebody waits for a backup or a restore of their own.",
        of("nonadminbackup"),
    ),
    Case(
        "KedgeSelfServiceFailing",
        {
            **LEADS,
            **s("controller_runtime_reconcile_errors_total", 'controller="gc"', "0+1x120"),
        },
        60,
    ),
    Case(
        "KedgeSelfServiceStuck",
        {
            **LEADS,
            **s("workqueue_depth", 'controller="nonadminrestore"', "2x60"),
            **s(DONE, 'controller="nonadminrestore"', "7x60"),
        },
        45,
        "The controller nonadminrestore in namespace velero has 2 objects waiting, and has"
        " finished none for 10 minutes.",
        of("nonadminrestore"),
    ),
    Case(
        "KedgeSelfServiceStuck",
        {
            **LEADS,
            **s("workqueue_depth", 'controller="nonadminrestore"', "0x60"),
            **s(DONE, 'controller="nonadminrestore"', "7x60"),
        },
        45,
    ),
    Case(
        "KedgeWarmupLate",
        {
            **s(f"{LATE}_sum", 'prescalecron="report",durationtype="late"', "0+90x60"),
            **s(f"{LATE}_count", 'prescalecron="report",durationtype="late"', "0+1x60"),
        },
        30,
        "The work of PreScaledCronJob report started 1m 30s late in the last hour, on average.",
        {"namespace": "velero", "prescalecron": "report"},
    ),
    Case(
        "KedgeWarmupLate",
        {
            **s(f"{LATE}_sum", 'prescalecron="report",durationtype="early"', "0+90x60"),
            **s(f"{LATE}_count", 'prescalecron="report",durationtype="early"', "0+1x60"),
        },
        30,
    ),
    Case(
        "KedgePrescaledWritesFailing",
        s(
            "prescaledcronjoboperator_cronjob_action_total",
            'action="create",outcome="failure"',
            "0+1x90",
        ),
        60,
        "The action create on CronJobs has failed for half an hour.",
        {"namespace": "velero", "action": "create"},
    ),
    Case(
        "KedgePrescaledWritesFailing",
        s(
            "prescaledcronjoboperator_cronjob_action_total",
            'action="create",outcome="success"',
            "0+1x90",
        ),
        60,
    ),
]

CASES: Final = [*SERVER, *ENDED, *DUE, *OTHERS]
