"""`kedge restore`: the table of its commands."""

from kedge.cli.connection import connection_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

COMMANDS = {
    "create": Entry("kedge.cli.restore.create:create", "Restore from a backup, or preview it."),
    "get": Entry("kedge.cli.restore.get:get", "List restores."),
    "describe": Entry("kedge.cli.restore.describe:describe", "Tell all about restores."),
    "logs": Entry("kedge.cli.restore.logs:logs", "Print the log of a restore."),
    "delete": Entry("kedge.cli.restore.delete:delete", "Delete restores."),
}

restore = connection_options(
    FlagGroup(
        "restore",
        COMMANDS,
        short_help="Work with restores.",
        help="""Work with restores.

        A restore brings objects back from a backup.
        """,
    )
)
