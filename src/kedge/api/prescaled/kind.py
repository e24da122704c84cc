"""PreScaledCronJobs: CronJobs that start a while before their runs, and wait on warm nodes."""

from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec

from kedge.api.definition import AGE, MAIN, Column, Definition
from kedge.api.part import Doc, Part, Rule, Typed, choice, time
from kedge.api.prescaled.cronjob import NOT_BLANK, CronJobShape
from kedge.api.velero.condition import ConditionShape
from kedge.kube.conditions import Condition
from kedge.kube.kind import Kind

GROUP: Final = "psc.cronprimer.local"
VERSION: Final = "v1alpha1"
LONGEST_LEAD: Final = 7 * 24 * 60
"""Minutes."""
LONGEST_NAME: Final = 44
"""A CronJob has 52 characters at most, and ours begin with autogen-."""


class Mode(StrEnum):
    """How the warm-ups come about."""

    STATIC = "Static"
    """Cron expressions say all of them."""
    ROLLING = "Rolling"
    """The CronJob has the next one only, and is moved on after each."""


class PreScaledCronJobSpec(Part, frozen=True):
    """What is to run when, and how long before that its pods are to be there."""

    warm_up_time_mins: Annotated[
        int,
        Doc(
            "Minutes between a warm-up and its run; 0 is no warm-up.",
            format="int32",
            bounds=(0, LONGEST_LEAD),
        ),
    ] = 0
    primer_schedule: Annotated[
        str | None,
        Doc(
            "When to warm up, as a cron expression by hand; it counts before warmUpTimeMins.",
            rules=(NOT_BLANK,),
        ),
    ] = None
    cron_job: Annotated[
        dict[str, Any],
        Doc("The CronJob that is to run.", required=True, preserve=True, shape=CronJobShape),
    ] = msgspec.field(default_factory=dict)


class PreScaledCronJobStatus(Part, frozen=True):
    """What was made of a PreScaledCronJob."""

    conditions: Annotated[
        list[Condition] | None,
        Doc("What holds now, since when, and why.", keys=("type",), shape=ConditionShape),
    ] = None
    mode: Annotated[str, choice("How the warm-ups come about.", Mode)] = ""
    primer_schedules: Annotated[
        list[str] | None,
        Doc("When its CronJobs start; of a rolling one, the next time only, in UTC."),
    ] = None
    next_warm_up_time: Annotated[
        str | None, time("When the next warm-up starts; not set if there will be none.")
    ] = None
    next_run_time: Annotated[
        str | None, time("When the next run begins; not set if there will be none.")
    ] = None
    last_warm_up_time: Annotated[str | None, time("When the last warm-up was due.")] = None
    last_run_time: Annotated[
        str | None, time("When the last run that was warmed up for was due.")
    ] = None


class PreScaledCronJob(Typed, frozen=True):
    """Runs a CronJob on nodes that are warm."""

    spec: Annotated[
        PreScaledCronJobSpec,
        Doc("What is to run when, and how long before that its pods are to be there.", True),
    ] = PreScaledCronJobSpec()
    status: Annotated[PreScaledCronJobStatus, Doc("What was made of it.")] = (
        PreScaledCronJobStatus()
    )


PRE_SCALED_CRON_JOB: Final[Kind[PreScaledCronJob]] = Kind(
    GROUP, VERSION, "PreScaledCronJob", "prescaledcronjobs", PreScaledCronJob
)

DEFINITION: Final = Definition(
    PRE_SCALED_CRON_JOB,
    "Runs a CronJob, and has its pods on their nodes a while before each run.",
    columns=(
        Column("Schedule", ".spec.cronJob.spec.schedule", "When the runs begin."),
        Column("Primer", ".status.primerSchedules", "When the warm-ups start."),
        Column("Mode", ".status.mode", "How the warm-ups come about."),
        Column("Next warm-up", ".status.nextWarmUpTime", "When the next warm-up starts."),
        Column("Next run", ".status.nextRunTime", "When the next run begins."),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status", "Whether it works."),
        AGE,
        Column(
            "Why",
            ".status.conditions[?(@.type=='Ready')].message",
            "What is wrong, or that nothing is.",
            wide=True,
        ),
    ),
    short_names=("pscj",),
    categories=(MAIN,),
    rules=(
        Rule(
            f"self.metadata.name.size() <= {LONGEST_NAME}",
            f"a name has at most {LONGEST_NAME} characters: that of its CronJob is longer",
        ),
    ),
)
