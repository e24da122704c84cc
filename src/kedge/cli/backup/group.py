"""`kedge backup`: the table of its commands."""

from kedge.cli.connection import connection_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

COMMANDS = {
    "create": Entry("kedge.cli.backup.create:create", "Create a backup."),
    "get": Entry("kedge.cli.backup.get:get", "List backups."),
    "describe": Entry("kedge.cli.backup.describe:describe", "Tell all about backups."),
    "logs": Entry("kedge.cli.backup.logs:logs", "Print the log of a backup."),
    "download": Entry("kedge.cli.backup.download:download", "Fetch the archive of a backup."),
    "delete": Entry("kedge.cli.backup.delete:delete", "Delete backups with their data."),
}

backup = connection_options(
    FlagGroup(
        "backup",
        COMMANDS,
        short_help="Work with backups.",
        help="""Work with backups.

        A backup saves objects of the cluster in a storage location, from which they can be
        restored.
        """,
    )
)
