"""`kedge schedule`: the table of its commands."""

from kedge.cli.connection import connection_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

COMMANDS = {
    "create": Entry("kedge.cli.schedule.create:create", "Create a schedule."),
    "get": Entry("kedge.cli.schedule.get:get", "List schedules."),
    "describe": Entry("kedge.cli.schedule.describe:describe", "Tell all about schedules."),
    "preview": Entry("kedge.cli.schedule.preview:preview", "List the coming runs of schedules."),
    "pause": Entry("kedge.cli.schedule.pause:pause", "Pause schedules."),
    "unpause": Entry("kedge.cli.schedule.pause:unpause", "Unpause schedules."),
    "delete": Entry("kedge.cli.schedule.delete:delete", "Delete schedules."),
}

schedule = connection_options(
    FlagGroup(
        "schedule",
        COMMANDS,
        short_help="Work with schedules.",
        help="""Work with schedules.

        A schedule makes a backup at each time that a cron expression names.
        """,
    )
)
