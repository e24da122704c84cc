"""Schedules: when to make which Backups."""

from enum import StrEnum
from typing import Annotated, Final

import msgspec

from kedge.api.definition import AGE, EVERYTHING, MAIN, Column, Definition
from kedge.api.part import Doc, Part, Typed, choice, time
from kedge.api.velero.backup import BackupSpec
from kedge.api.velero.condition import ConditionShape
from kedge.api.velero.group import GROUP, VERSION
from kedge.kube.conditions import Condition
from kedge.kube.kind import Kind


class SchedulePhase(StrEnum):
    """Whether a Schedule works; an empty phase is as good as NEW."""

    NEW = "New"
    ENABLED = "Enabled"
    FAILED_VALIDATION = "FailedValidation"


class ScheduleSpec(Part, frozen=True):
    """When to make Backups, and what they save."""

    template: Annotated[BackupSpec, Doc("The spec of the Backups.", required=True)] = msgspec.field(
        default_factory=BackupSpec  # a default that is one object would be left out on writing
    )
    schedule: Annotated[
        str,
        Doc(
            "When to make a Backup: a cron expression such as 30 2 * * *, or @daily, or @every 6h; "
            "CRON_TZ=Europe/Vienna and a space before it name a time zone.",
            required=True,
        ),
    ] = ""
    use_owner_references_in_backup: Annotated[
        bool | None,
        Doc("Whether the Backups belong to the Schedule, so that they go when it is deleted."),
    ] = None
    paused: Annotated[bool, Doc("Whether the Schedule makes no Backups for now.")] = False
    skip_immediately: Annotated[
        bool | None,
        Doc(
            "Whether a run that is due when the Schedule is made or unpaused is skipped; it is "
            "taken back once done, and not set means what the server says."
        ),
    ] = None


class ScheduleStatus(Part, frozen=True):
    """What a Schedule did, and what it does next."""

    phase: Annotated[str, choice("Whether the Schedule works.", SchedulePhase)] = ""
    last_backup: Annotated[str | None, time("When a Backup was last made.")] = None
    last_skipped: Annotated[
        str | None, time("When a run was last skipped because skipImmediately said so.")
    ] = None
    next_run: Annotated[
        str | None, time("When the next Backup is made; not set if there will be none.")
    ] = None
    validation_errors: Annotated[
        list[str] | None, Doc("What is wrong with the spec or the options, and how to mend it.")
    ] = None
    observed_generation: Annotated[
        int, Doc("The generation of the Schedule that this status is about.", format="int64")
    ] = 0
    conditions: Annotated[
        list[Condition] | None,
        Doc("What holds now, since when, and why.", keys=("type",), shape=ConditionShape),
    ] = None


class Schedule(Typed, frozen=True):
    """Makes Backups again and again."""

    spec: Annotated[ScheduleSpec, Doc("When to make Backups, and what they save.")] = ScheduleSpec()
    status: Annotated[ScheduleStatus, Doc("What the Schedule did, and what it does next.")] = (
        ScheduleStatus()
    )


SCHEDULE: Final[Kind[Schedule]] = Kind(GROUP, VERSION, "Schedule", "schedules", Schedule)

DEFINITION: Final = Definition(
    SCHEDULE,
    "Makes a Backup at each time that a cron expression names.",
    columns=(
        Column("Status", ".status.phase", "Whether it works."),
        Column("Schedule", ".spec.schedule", "When it makes Backups."),
        Column("Next Run", ".status.nextRun", "When it makes the next Backup."),
        Column("Last Backup", ".status.lastBackup", "How long ago it made a Backup.", "date"),
        Column("Last Skipped", ".status.lastSkipped", "How long ago it skipped a run.", "date"),
        Column("Paused", ".spec.paused", "Whether it makes no Backups for now.", "boolean"),
        AGE,
        Column("TTL", ".spec.template.ttl", "How long its Backups are kept.", wide=True),
        Column(
            "Why",
            ".status.conditions[?(@.type=='Ready')].message",
            "What it waits for, or what is wrong.",
            wide=True,
        ),
    ),
    short_names=("sched",),
    categories=(MAIN, EVERYTHING),
)
