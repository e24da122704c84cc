"""What a PreScaledCronJob's schema says of the CronJob in it; all else of that is kept as it is."""

from typing import Annotated, Any, Final

import msgspec

from kedge.api.part import Doc, Part, Rule

VERSIONS: Final = ("batch/v1", "batch/v1beta1")
"""Of the CronJob within: the old one has the same fields, and its objects are still about."""
POLICIES: Final = ("Allow", "Forbid", "Replace")
PREFIXES: Final = ("TZ=", "CRON_TZ=")

_PREFIXED: Final = " || ".join(f"self.schedule.startsWith('{each}')" for each in PREFIXES)
ONE_ZONE: Final = Rule(
    f"!has(self.timeZone) || !({_PREFIXED})",
    "name the time zone in timeZone or in front of the schedule, not both",
)
NOT_BLANK: Final = Rule(
    "self.size() == 0 || self.trim().size() > 0",
    "write a cron expression such as 0 2 * * *, or @daily",
)


class JobTemplateShape(Part, frozen=True):
    """The Jobs of a CronJob: what is in there is the business of Kubernetes."""

    metadata: Annotated[
        dict[str, Any], Doc("Labels and annotations of the Jobs.", preserve=True)
    ] = msgspec.field(default_factory=dict)
    spec: Annotated[dict[str, Any], Doc("The spec of the Jobs.", required=True, preserve=True)] = (
        msgspec.field(default_factory=dict)
    )


class CronJobSpecShape(Part, frozen=True):
    """The fields of a CronJob that are looked at here."""

    schedule: Annotated[
        str,
        Doc(
            "When the work begins: a cron expression, @daily and the like, or @every 90m; "
            "CRON_TZ=Europe/Vienna and a space before it name a time zone.",
            required=True,
            shortest=1,
            rules=(NOT_BLANK,),
        ),
    ] = ""
    time_zone: Annotated[
        str | None,
        Doc("The time zone of the schedule, such as Europe/Vienna; without it UTC.", shortest=1),
    ] = None
    concurrency_policy: Annotated[
        str,
        Doc(
            "What happens to a run while the one before goes on; Allow if not set.",
            values=POLICIES,
        ),
    ] = ""
    suspend: Annotated[bool | None, Doc("Whether no warm-ups start, and no runs, for now.")] = None
    job_template: Annotated[
        dict[str, Any],
        Doc("The Jobs that do the work.", required=True, preserve=True, shape=JobTemplateShape),
    ] = msgspec.field(default_factory=dict)


class CronJobShape(Part, frozen=True):
    """A CronJob within another object."""

    api_version: Annotated[
        str, Doc("The version that the CronJob is written in.", values=VERSIONS)
    ] = ""
    kind: Annotated[str, Doc("The kind: CronJob.", values=("CronJob",))] = ""
    metadata: Annotated[
        dict[str, Any],
        Doc(
            "Labels and annotations for the CronJobs that are made; the rest is ignored.",
            preserve=True,
        ),
    ] = msgspec.field(default_factory=dict)
    spec: Annotated[
        dict[str, Any],
        Doc(
            "What a CronJob has in its spec, the schedule being that of the runs.",
            required=True,
            preserve=True,
            shape=CronJobSpecShape,
            rules=(ONE_ZONE,),
        ),
    ] = msgspec.field(default_factory=dict)
