"""`kedge prescaled`: the table of its commands."""

from kedge.cli.connection import context_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

COMMANDS = {
    "create": Entry("kedge.cli.prescaled.create:create", "Create a PreScaledCronJob."),
    "get": Entry("kedge.cli.prescaled.get:get", "List PreScaledCronJobs."),
    "describe": Entry("kedge.cli.prescaled.describe:describe", "Tell all about PreScaledCronJobs."),
    "preview": Entry(
        "kedge.cli.prescaled.preview:preview", "List the coming warm-ups and their runs."
    ),
    "convert": Entry(
        "kedge.cli.prescaled.convert:convert", "Print the PreScaledCronJob for a CronJob."
    ),
    "delete": Entry("kedge.cli.prescaled.delete:delete", "Delete PreScaledCronJobs."),
}

prescaled = context_options(
    FlagGroup(
        "prescaled",
        COMMANDS,
        short_help="Work with jobs that start on warm nodes.",
        help="""Work with jobs that start on warm nodes.

        A PreScaledCronJob starts the pods of a CronJob a while before each run, and holds them
        until its instant.
        """,
    )
)
